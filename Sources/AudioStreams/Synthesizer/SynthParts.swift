import SessionCore

/// The parts of a running synthesizer.
struct SynthParts: Sendable {
  let kernel: SynthKernel
  let stream: RealtimeStream
  /// Frames that the server buffers for playback.
  let bufferFrames: Int
  let scheduling: Scheduling
  /// How long a note may take to fade out.
  let longestRelease: Duration
  /// Where the session placed its streams when this one was opened.
  let place: StreamPlace

  /// Releases all notes and waits until the last one has been played. Waits at most one second
  /// longer than that should take: a server that is frozen plays nothing more.
  func fadeOut() async {
    if kernel.isUntouched { return }
    // One buffer may pass before the release is mixed, and two more until its end is played.
    let buffer = Duration.seconds(Double(bufferFrames) / kernel.sampleRate)
    let deadline = ContinuousClock.now + buffer * 3 + longestRelease + .seconds(1)
    while !kernel.releaseAll(), .now < deadline { await pause() }
    let released = kernel.position + 1
    while ContinuousClock.now < deadline {
      // The last mixed sound has been played once two more buffers have been mixed.
      let sound = kernel.lastSound
      let quiet = sound == 0 ? released : max(released, sound + UInt64(2 * bufferFrames))
      if kernel.position >= quiet { return }
      await pause()
    }
  }

  private func pause() async { try? await Task.sleep(for: .milliseconds(2)) }

  /// Ends the stream; the kernel must outlive the stream's thread.
  func end() async {
    await stream.close()
    withExtendedLifetime(kernel) {}
  }
}
