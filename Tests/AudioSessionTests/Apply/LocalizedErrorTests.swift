import AudioSession
import AudioSessionFoundation
import Foundation
import Testing

@Suite("An error in a program that uses Foundation")
struct LocalizedErrorTests {
  @Test("its localized description is the sentence for people")
  func description() async {
    let session = AudioSession(server: "unix:/nonexistent/socket")
    let error = await #expect(throws: SessionError.self) { try await session.setAudioMode(.init()) }
    #expect(error?.description.contains("/nonexistent/socket") == true)
    #expect((error as (any Error)?)?.localizedDescription == error?.description)
    await session.close()
  }
}
