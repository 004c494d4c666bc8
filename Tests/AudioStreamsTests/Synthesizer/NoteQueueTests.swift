import AudioStreams
import CAudioKernel
import Glibc
import TestSupport
import Testing

@Suite("The queue of notes")
struct NoteQueueTests {
  /// A pointer that both threads use, as the C side allows.
  struct Queue: @unchecked Sendable {
    let pointer = ak_note_queue_create()!
  }

  static func event(_ number: UInt64) -> ak_note_event {
    ak_note_event(
      frame: number, duration: ~number, amplitude: 1, pitch: UInt8(number % 128),
      kind: AK_NOTE_ON)
  }

  @Test("hands over a million events of another thread, each once and in order")
  func order() async {
    let count: UInt64 = 1_000_000
    let queue = Queue()
    defer { ak_note_queue_destroy(queue.pointer) }
    async let refusals: UInt64 = onThread {
      var refused: UInt64 = 0
      for number in 0..<count {
        var event = Self.event(number)
        while !ak_note_queue_push(queue.pointer, &event) {
          refused += 1
          sched_yield()
        }
      }
      return refused
    }
    let wrong: UInt64 = await onThread {
      var (expected, wrong): (UInt64, UInt64) = (0, 0)
      var event = ak_note_event()
      while expected < count {
        guard ak_note_queue_pop(queue.pointer, &event) else {
          sched_yield()
          continue
        }
        if event.frame != expected || event.duration != ~expected { wrong += 1 }
        expected += 1
      }
      return wrong
    }
    #expect(wrong == 0)
    #expect(await refusals == ak_note_queue_refused(queue.pointer))
    #expect(ak_note_queue_violations(queue.pointer) == 0)
    var event = ak_note_event()
    #expect(!ak_note_queue_pop(queue.pointer, &event))
  }

  @Test("counts whoever takes events beside its thread")
  func violations() async {
    let queue = Queue()
    defer { ak_note_queue_destroy(queue.pointer) }
    var event = ak_note_event()
    _ = ak_note_queue_pop(queue.pointer, &event)
    #expect(ak_note_queue_violations(queue.pointer) == 0)
    // Both threads live at once, or the second could get the number of the first.
    await onThread {
      var event = ak_note_event()
      _ = ak_note_queue_pop(queue.pointer, &event)
    }
    #expect(ak_note_queue_violations(queue.pointer) == 1)
  }

  @Test("holds 256 events, refuses the next, and counts it")
  func full() throws {
    let kernel = SynthKernel(sampleRate: 44100, channels: 1)
    for _ in 0..<256 { #expect(try kernel.play(Note(pitch: 60))) }
    #expect(try !kernel.play(Note(pitch: 60)))
    #expect(try !kernel.release(pitch: 60))
    #expect(kernel.refused == 2)
    _ = kernel.render(64)
    #expect(try kernel.play(Note(pitch: 60)))
    #expect(kernel.refused == 2)
  }

  @Test("takes notes from several threads")
  func producers() async {
    let kernel = SynthKernel(sampleRate: 44100, channels: 1)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 { #expect((try? kernel.play(Note(pitch: 60), at: 1000)) == true) }
        }
      }
    }
    _ = kernel.render(2000)
    #expect(kernel.stolen == 200 - 8)
    #expect(kernel.violations == 0)
  }
}
