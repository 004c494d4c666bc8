/// Memory for samples that grows to the greatest request, and stays.
final class Scratch {
  private(set) var samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 0)

  deinit { samples.deallocate() }

  /// Memory for at least this many samples; its previous contents are lost.
  func reserve(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    if samples.count < count {
      samples.deallocate()
      samples = .allocate(capacity: count)
    }
    return samples
  }
}
