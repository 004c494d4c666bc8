extension Ratios {
  /// The figures of the release build on two quiet cores, and the aims: whole programs and memory of
  /// 2026-11-23 (medians of three runs), what is put back of 2026-11-22. A change of a recorded figure
  /// needs a reason in the commit's message.
  static let recorded: [String: Record] = [
    "apply podcast, of five calls of pactl": Record(value: 0.78, aim: 0.6),
    "apply podcast, of nine calls of pactl": Record(value: 0.44, aim: 0.35),
    "state --json, of pactl -f json list": Record(value: 2.5, aim: 1.6),
    "state --json, of bare libpulse: list": Record(value: 2.7),
    "state --json, of pactl info": Record(value: 2.8),
    "--version, of pactl --version": Record(value: 1.63),
    "--version, of bare libpulse: start": Record(value: 1.68),
    "instructions of --version": Record(value: 6.04),
    "instructions of apply podcast": Record(value: 34.55),
    "instructions of state --json": Record(value: 24.08),
    "instructions of profiles": Record(value: 21.3),
    "resident": Record(value: 18.2, aim: 14),
    "proportional share (PSS)": Record(value: 14.5),
    "its own (private, changed)": Record(value: 2.5),
    "a default source put back, of pulsectl's": Record(value: 0.53, aim: 0.6),
    "a port put back, of pulsectl's": Record(value: 0.82, aim: 0.6),
    "a card profile put back, of pulsectl's": Record(value: 1.14, aim: 0.6),
    "a default source put back, of bare libpulse's": Record(value: 2.27),
    "a port put back, of bare libpulse's": Record(value: 1.94),
    "a card profile put back, of bare libpulse's": Record(value: 1.86),
    // 2026-11-23, PipeWire 0.3.65.
    "on PipeWire, a default source put back, of pulsectl's": Record(value: 1.25, aim: 0.7),
    "on PipeWire, a port put back, of pulsectl's": Record(value: 0.79, aim: 0.7),
    "on PipeWire, a card profile put back, of pulsectl's": Record(value: 1.81, aim: 0.7),
  ]
}
