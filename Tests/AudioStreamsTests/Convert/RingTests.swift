import CAllocationCounter
import CAudioKernel
import Glibc
import TestSupport
import Testing

@Suite("The ring between two threads")
struct RingTests {
  /// A page fault on the audio thread is a wait.
  @Test("every page is there before the first sound")
  func pages() throws {
    func faults() -> Int {
      var usage = rusage()
      getrusage(__rusage_who_t(1), &usage)  // RUSAGE_THREAD, which Swift does not see
      return usage.ru_minflt
    }
    let bytes = 8 << 20  // 2048 pages
    let ring = try #require(ak_ring_create(bytes))
    defer { ak_ring_destroy(ring) }
    let sound = [UInt8](repeating: 1, count: 4096)
    ak_ring_write(ring, sound, sound.count)
    let before = faults()
    for _ in 1..<(bytes / sound.count) { ak_ring_write(ring, sound, sound.count) }
    #expect(ak_ring_readable(ring) == bytes)
    // Some may be another's: a page of the stack, or one that the kernel took away.
    #expect(faults() - before < 64)
  }

  @Test("holds at least what it was made for", arguments: [0, 1, 64, 65, 4096, 100_000])
  func capacity(size: Int) throws {
    let ring = try #require(ak_ring_create(size))
    defer { ak_ring_destroy(ring) }
    #expect(ak_ring_writable(ring) >= size)
    #expect(ak_ring_readable(ring) == 0)
  }

  @Test("writes all of a record or nothing, over its end too")
  func records() throws {
    let ring = try #require(ak_ring_create(64))
    defer { ak_ring_destroy(ring) }
    var generator = SystemRandomNumberGenerator()
    var expected: [UInt8] = []
    for _ in 0..<10_000 {
      let head = [UInt8](repeating: .random(in: 0...255, using: &generator), count: 3)
      let body = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) }
      let fits = head.count + body.count <= 64 - expected.count
      #expect(ak_ring_write_record(ring, head, head.count, body, body.count) == fits)
      if fits { expected += head + body }
      #expect(ak_ring_readable(ring) == expected.count)
      let count = Int.random(in: 0...30)
      var read = [UInt8](repeating: 0, count: count)
      #expect(ak_ring_read(ring, &read, count) == (count <= expected.count))
      guard count <= expected.count else { continue }
      #expect(read == Array(expected[..<count]))
      expected.removeFirst(count)
    }
    #expect(ak_ring_violations(ring) == 0)
  }

  @Test("neither side allocates or locks", .enabled(if: allocation_counter_works(), "sanitized"))
  func allocatesNothing() throws {
    let ring = try #require(ak_ring_create(1024))
    defer { ak_ring_destroy(ring) }
    var bytes = [UInt8](repeating: 1, count: 100)
    let before = (allocation_count(), lock_count())
    bytes.withUnsafeMutableBytes { bytes in
      for _ in 0..<1000 {
        ak_ring_write(ring, bytes.baseAddress, bytes.count)
        ak_ring_read(ring, bytes.baseAddress, bytes.count)
      }
    }
    let after = (allocation_count(), lock_count())
    #expect(after == before)
    // The counter counts: this test could fail.
    let start = allocation_count()
    // An optimizer removes what nobody sees.
    let memory = calloc(1, 1)
    ak_ring_write(ring, memory, 1)
    free(memory)
    let end = allocation_count()
    #expect(end == start + 2)
  }

  @Test("carries a million numbers from thread to thread, in order")
  func order() async throws {
    let ring = SharedRing(bytes: 1 << 12)
    let count: UInt64 = 1_000_000
    async let written: Void = onThread {
      for number in 0..<count {
        var number = number
        while !ak_ring_write(ring.native, &number, 8) { sched_yield() }
      }
    }
    async let wrong: Int = onThread {
      var wrong = 0
      for expected in 0..<count {
        var number: UInt64 = 0
        while !ak_ring_read(ring.native, &number, 8) { sched_yield() }
        if number != expected { wrong += 1 }
      }
      return wrong
    }
    await written
    #expect(await wrong == 0)
    #expect(ak_ring_violations(ring.native) == 0)
  }

  @Test("counts calls from a second thread on the same side")
  func violations() async throws {
    let ring = SharedRing(bytes: 64)
    await onThread { _ = ak_ring_write(ring.native, "a", 1) }
    // Both threads live at once, or the second could get the number of the first.
    await onThread {
      var byte: UInt8 = 0
      let isRead = ak_ring_read(ring.native, &byte, 1)
      #expect(isRead)
      #expect(ak_ring_violations(ring.native) == 0)
    }
    let mine = ak_ring_violations(ring.native)
    ak_ring_write(ring.native, "a", 1)
    await onThread { _ = ak_ring_write(ring.native, "a", 1) }
    #expect(ak_ring_violations(ring.native) > mine)
  }
}

/// A ring for tests with several threads.
final class SharedRing: @unchecked Sendable {  // the ring is made for two threads
  let native: OpaquePointer

  init(bytes: Int) { native = ak_ring_create(bytes) }

  deinit { ak_ring_destroy(native) }
}
