extension Ratios {
  /// The figures of the packaged build on two cores (2026-11-28), and the aims;
  /// `audiosession-benchmark record 60` prints these lines. A change of a recorded figure needs a reason
  /// in the commit's message.
  ///
  /// What is restored is compared with the other programs, but not recorded: the same two programs are at
  /// 0.5 or at 1.5 in runs that follow each other, by the cores on which their processes wake up. What
  /// can get worse there is the number of round trips. Ratios to bare libpulse vary as much, but for an
  /// apply on PipeWire, where both wait for whole buffers of the graph. Rows with
  /// `isRecorded: false` have an aim alone; those without a value are recorded by the next `record`.
  static let recorded: [String: Record] = [
    "apply podcast, of five calls of pactl": Record(value: 0.84, aim: 0.6),
    "apply podcast, of nine calls of pactl": Record(value: 0.48, aim: 0.35),
    "state --json, of pactl -f json list": Record(value: 2.11, aim: 1.6),
    "state --json, of pactl info": Record(value: 2.50),
    "--version, of pactl --version": Record(value: 1.65),
    "profiles, of pactl --version": Record(value: 2.21),
    "profiles show podcast, of pactl --version": Record(value: 2.26),
    "help apply, of pactl --version": Record(value: 2.15),
    "--version, whole program": Record(value: 4.36, aim: 6),
    "profiles, whole program": Record(value: 5.83, aim: 6),
    "profiles show podcast, whole program": Record(value: 5.97, aim: 6),
    "help apply, whole program": Record(value: 5.68, aim: 6),
    "state --json, above pactl info": Record(value: 5.62, aim: 3),
    "instructions of --version": Record(value: 6.09),
    "instructions of apply podcast": Record(value: 24.38),
    "instructions of state --json": Record(value: 15.31),
    "instructions of profiles": Record(value: 9.66),
    "instructions of profiles show podcast": Record(value: 8.57),
    "instructions of help apply": Record(value: 17.27),
    "program file": Record(value: 13.64, aim: 15),
    "a default source restored, of pulsectl's": Record(aim: 0.6, isRecorded: false),
    "a default source restored, by the session": Record(value: 3.00, aim: 3),
    "a port restored, of pulsectl's": Record(aim: 0.6, isRecorded: false),
    "a port restored, by the session": Record(value: 3.00, aim: 3),
    "a card profile restored, of pulsectl's": Record(aim: 0.6, isRecorded: false),
    "a card profile restored, by the session": Record(value: 3.00, aim: 3),
    "resident": Record(value: 18.97, aim: 14),
    "proportional share (PSS)": Record(value: 15.00),
    "its own (private, changed)": Record(value: 2.43),
    "on PipeWire, a default source restored, of pulsectl's": Record(aim: 0.7, isRecorded: false),
    "on PipeWire, a default source restored, by the session": Record(value: 4.00),
    "on PipeWire, a port restored, of pulsectl's": Record(aim: 0.7, isRecorded: false),
    "on PipeWire, a port restored, by the session": Record(value: 9.00),
    "on PipeWire, a card profile restored, of pulsectl's": Record(aim: 0.7, isRecorded: false),
    "on PipeWire, a card profile restored, by the session": Record(value: 11.00),
    "on PipeWire, applied and verified": Record(value: 41.98, aim: 15),
    "on PipeWire, applied and verified, of bare libpulse": Record(value: 1.90),
    "a default restored with 1,000 objects, of that with 10": Record(value: 3.37, aim: 1.3),
    "state --json with 1,000 objects, of pactl -f json list": Record(value: 0.91, aim: 1.2),
  ]
}
