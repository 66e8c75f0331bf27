import Foundation

/// A node of a cluster in its own process, which tests kill.
///
///     ClusterChaosNode work SETTINGS
///         handles messages until the end of input, and reports with one byte that it is connected
///     ClusterChaosNode send SETTINGS
///         writes commands into an outbox, reports each transaction with one byte, and ends when all were sent
///
/// The settings are those of `ChaosSettings` as JSON.
@main
enum ClusterChaosNode {
    static func main() async {
        #if NATS
            let arguments = CommandLine.arguments.dropFirst()
            do {
                switch (arguments.first, arguments.count) {
                case ("work", 2): try await ChaosWorker(try ChaosSettings(json: arguments[2])).run()
                case ("send", 2): try await ChaosSender(try ChaosSettings(json: arguments[2])).run()
                default: exit(64)
                }
            } catch {
                fail(error)
            }
        #else
            exit(64)
        #endif
    }

    static func reportStep() throws {
        try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
    }

    /// Ends this process without the stack trace that the language prints for an error.
    static func fail(_ error: any Error) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("ClusterChaosNode: \(error)\n".utf8))
        exit(1)
    }

    /// Ends this process as the kernel would, without finishing anything.
    static func killItself() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }
}
