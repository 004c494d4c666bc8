extension Ratios {
  /// The figures of the release build on 2026-11-22 (instructions: 2026-11-23), two quiet cores, and
  /// the aims. A change of a recorded figure needs a reason in the commit's message.
  static let recorded: [String: Record] = [
    "apply podcast, of five calls of pactl": Record(value: 0.96, aim: 0.6),
    "apply podcast, of nine calls of pactl": Record(value: 0.53, aim: 0.35),
    "state --json, of pactl -f json list": Record(value: 3.01, aim: 1.6),
    "state --json, of bare libpulse: list": Record(value: 3.45),
    "state --json, of pactl info": Record(value: 3.58),
    "--version, of pactl --version": Record(value: 2.43),
    "--version, of bare libpulse: start": Record(value: 2.52),
    "instructions of --version": Record(value: 6.08),
    "instructions of apply podcast": Record(value: 35.8),
    "instructions of state --json": Record(value: 23.9),
    "instructions of profiles": Record(value: 21.0),
    "resident": Record(value: 21.36, aim: 14),
    "proportional share (PSS)": Record(value: 17.00),
    "its own (private, changed)": Record(value: 2.79),
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
