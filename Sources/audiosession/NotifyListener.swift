import AudioSession
import Glibc
import POSIX

/// The other end of `ServiceNotifier`: hears when a program that this one started is ready.
struct NotifyListener: ~Copyable {
  private let descriptor: Descriptor
  /// The value of `NOTIFY_SOCKET`: a name outside the file system, which ends with this process.
  let address: String

  init() throws(SessionError) {
    // The name cannot be guessed, and messages of other processes are ignored (`receive`).
    let name =
      "@audiosession-" + String(UInt64.random(in: 0...(.max)), radix: 36)
      + String(UInt64.random(in: 0...(.max)), radix: 36)
    do throws(SystemError) { descriptor = try Self.listen(at: name) } catch {
      throw SessionError(
        .activationFailed, stage: .session,
        "the profile is applied, and no process maintains it: no socket on which the holder reports "
          + "that it is ready (\(error))", restored: false)
    }
    address = name
  }

  private static func listen(at address: String) throws(SystemError) -> Descriptor {
    let socket = try unixSocket(SOCK_DGRAM, isBlocking: false)
    var isOn: Int32 = 1
    setsockopt(socket.raw, SOL_SOCKET, SO_PASSCRED, &isOn, socklen_t(MemoryLayout<Int32>.size))
    guard UnixAddress(address)?.with({ bind(socket.raw, $0, $1) }) == 0 else { throw .last }
    return socket
  }

  /// False if the process ends first, the time limit passes, or the task is cancelled.
  func waitForReady(of child: pid_t, atMost limit: Duration) async -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end, !Task.isCancelled {
      poll([.input(descriptor.raw)], for: 20)
      if receive(from: child)?.contains("READY=1") == true { return true }
      var status: Int32 = 0
      if waitpid(child, &status, WNOHANG) == child { return false }
    }
    return false
  }

  /// The next message; nil if there is none, or it is not from the child.
  private func receive(from child: pid_t) -> String? {
    var text = [UInt8](repeating: 0, count: 4096)
    // struct cmsghdr (its length, level and type), then struct ucred (process, user, group).
    var control = [Int32](repeating: 0, count: 16)
    var count = 0
    text.withUnsafeMutableBytes { text in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
        withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (part, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          count = recvmsg(descriptor.raw, &message, 0)
        }
      }
    }
    let scmCredentials: Int32 = 2  // Swift does not import SCM_CREDENTIALS
    guard count > 0, control[2] == SOL_SOCKET, control[3] == scmCredentials, control[4] == child
    else { return nil }
    return String(decoding: text[..<count], as: UTF8.self)
  }
}
