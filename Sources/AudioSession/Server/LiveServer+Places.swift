import Pulse
import PulseTypes
import SessionCore

/// PulseAudio's `module-stream-restore` stores each move of a stream, and with each later change where
/// the stream prefers to be; the next streams of the program, or of its role, are placed there. A session
/// must leave nothing of its moves there, however it ends: so it lets the server store the former device at
/// once, again after a change of the stream, and when the stream ends.
extension LiveServer {
  /// Notes the stored device before a move of a stream: what a person or another program has stored since
  /// the last one stays.
  func notePlace(before step: Step) async {
    guard !snapshot.has(.learnedStreams),
      case .name(let device) = step.to, let stream = snapshot.stream(movedBy: step.setting),
      let name = stream.properties["module-stream-restore.id"],
      let saved = try? await client.savedStreams(timeout: .seconds(1))
    else { return }
    let entry = saved.first { $0.name == name }
    let own = entry.flatMap { entry in
      places.values.first { $0.name == name && $0.isOwn(entry, in: snapshot) }
    }
    places[step.setting] = StreamPlaceMemory(
      name: name, former: own.map(\.former) ?? entry?.device, made: device)
  }

  /// Lets the server store the former devices of streams that were moved, have changed or ended.
  func tendPlaces() async {
    let changed = places.filter { $1.seen == nil || snapshot.stream(movedBy: $0) != $1.seen }
    guard !changed.isEmpty,
      let saved = try? await client.savedStreams(timeout: .seconds(1))
    else { return }
    for (setting, place) in changed {
      let stream = snapshot.stream(movedBy: setting)
      if var entry = saved.first(where: { $0.name == place.name }),
        entry.device != place.former, place.isOwn(entry, in: snapshot)
      {
        entry.device = place.former
        // Otherwise the next look tries it again.
        guard
          await isAnswered({ () throws(PulseError) in
            try await client.save(entry, timeout: .seconds(1))
          })
        else { continue }
      }
      places[setting]?.seen = stream
      if stream == nil { places[setting] = nil }
    }
  }

  /// From now on the server stores what people and programs do with the streams.
  func forgetPlaces() { places = [:] }
}

extension ServerSnapshot {
  /// The stream whose device a setting is; nil of another setting, or if it has ended.
  fileprivate func stream(movedBy setting: Setting) -> PulseTypes.Stream? {
    guard case .stream(let direction, let index) = setting else { return nil }
    return stream(direction, at: index)
  }
}
