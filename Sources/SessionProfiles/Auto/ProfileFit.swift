/// Whether the devices of a profile's `[match]` exist, and how specific it is.
package struct ProfileFit: Sendable, Hashable {
  package var name: String
  package var description: String?
  package var source: ProfileSource
  /// The sum over its matchers (`DeviceMatcher.points`): the matching profile with the most wins.
  package var points: Int
  /// The matchers without a device, as `input NAME`; empty if the profile matches.
  package var missing: [String]

  /// Whether all its matchers have a device.
  package var fits: Bool { missing.isEmpty }
}
