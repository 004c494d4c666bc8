internal import POSIX

/// The only open end of a pipe; the other end is notified when this object is released.
final class Leash: Sendable {
  private let end: Descriptor

  init(_ end: consuming Descriptor) { self.end = end }
}
