import PulseTypes
import Testing

/// A number from a file, a server or a sample can be anything. That no conversion ends the process is
/// what `.ci/numbers` searches for.
@Suite struct NumberTests {
  @Test func `a conversion saturates`() {
    #expect(Int(saturating: 1e300) == .max)
    #expect(Int(saturating: -1e300) == .min)
    #expect(UInt32(saturating: -0.6) == 0)
    #expect(Int(saturating: Double.nan) == 0)
    #expect(Int(saturating: 2.5) == 3)
    #expect(Int64.max.addingSaturating(1) == .max)
    #expect(Duration(saturatingSeconds: 1e300) == .seconds(3_200_000_000))
    #expect(Duration(saturatingSeconds: .nan) == .zero)
    for number in stride(from: 500, to: 2_000_000, by: 997) {
      let time = Duration.microseconds(number)
      #expect(Duration(saturatingSeconds: time.seconds) == time)
    }
    #expect(Volume(fraction: .nan) == .muted)
    #expect(Volume(fraction: 1e300) == .maximum)
    #expect(Volume(decibels: .infinity) == .maximum)
  }

  @Test func `a duration of any length has components`() {
    for duration in [Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(Int64.max)]
    {
      #expect(abs(duration.seconds) > 9e12)
      #expect(duration.microseconds.magnitude >= .max / 2)
    }
    #expect(Duration.milliseconds(-1500).microseconds == -1_500_000)
    #expect(Duration.milliseconds(-1500).seconds == -1.5)
  }
}
