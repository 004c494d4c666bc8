/// Memory for samples that grows to what was needed most, and then stays.
final class Scratch {
  private(set) var samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 0)

  deinit { samples.deallocate() }

  /// Memory for at least so many samples; what was in it is gone.
  func reserve(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    if samples.count < count {
      samples.deallocate()
      samples = .allocate(capacity: count)
    }
    return samples
  }
}
