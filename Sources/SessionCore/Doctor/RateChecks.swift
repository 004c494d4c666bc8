import PulseTypes

/// Checks of what prevents a change of the sample rate.
let rateChecks = [
  DoctorCheck(.equalRates, equalRates),
  DoctorCheck(.allowedRates, allowedRates),
]

private func equalRates(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard !snapshot.has(.graphSettings) else { return [] }
  let settings = facts.daemonSettings
  let rate = settings["default-sample-rate"].map(\.value) ?? "44100"
  let other = settings["alternate-sample-rate"].map(\.value) ?? "48000"
  guard rate == other, settings["avoid-resampling"]?.isYes != true else { return [] }
  let line = settings["alternate-sample-rate"] ?? settings["default-sample-rate"]
  return [
    Finding(
      .equalRates, .warning, object: "alternate-sample-rate",
      "default and alternate sample rate are both \(rate) Hz",
      why: "PulseAudio switches a device only between the two: no device ever changes its rate, "
        + "and a preferred one is unreachable.",
      .init(
        "Give the other rate, and restart the server.",
        command: "systemctl --user restart pulseaudio",
        file: line?.place,
        line: "alternate-sample-rate = \(rate == "48000" ? "44100" : "48000")"))
  ]
}

private func allowedRates(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard snapshot.has(.graphSettings) else { return [] }
  let key = "default.clock.allowed-rates"
  guard facts.allowedRates.rates.count < 2 else { return [] }
  let line = facts.graphSettings[key]
  let rate = facts.clockRate
  let list = "[ \(["44100", "48000"].contains(rate) ? "44100 48000" : "44100 48000 \(rate)") ]"
  return [
    Finding(
      .allowedRates, .note, object: key, "PipeWire switches to no other rate than \(rate) Hz",
      why:
        "A stream with another rate is converted. The session's own pin forces the preferred rate, "
        + "but only while a holder keeps it and a program uses the device.",
      .init(
        "Allow the rates that the devices have, and restart PipeWire.",
        command: "systemctl --user restart pipewire pipewire-pulse wireplumber",
        file: line?.place ?? facts.places["pipewire.conf"],
        // A new file also needs the section.
        line: line == nil
          ? "context.properties = { \(key) = \(list) }" : "\(key) = \(list)"))
  ]
}
