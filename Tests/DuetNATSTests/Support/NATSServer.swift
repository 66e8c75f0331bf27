#if NATS
    import DuetCluster
    import DuetNATS
    import DuetTesting
    import FeedTesting
    import Foundation
    import Synchronization

    /// A NATS server of a test, as a separate process with its own folder.
    final class NATSServer: Sendable {
        struct Missing: Error, CustomStringConvertible {
            var description: String {
                "nats-server is not installed. Run make setup-tests, or apt-get install nats-server."
            }
        }

        struct Failure: Error, CustomStringConvertible {
            let output: String
            var description: String { "nats-server did not start. It printed: \(output)" }
        }

        private struct State {
            var process: Process?
            var port = -1
        }

        private let folder: TemporaryDirectory
        private let arguments: [String]
        private let isTLS: Bool
        private let state = Mutex(State())

        var port: Int { state.withLock { $0.port } }
        var url: String { "\(isTLS ? "tls" : "nats")://127.0.0.1:\(port)" }

        private init(_ arguments: [String], isTLS: Bool) throws {
            folder = try TemporaryDirectory()
            self.arguments = arguments
            self.isTLS = isTLS
        }

        /// Runs an operation with a server, which is killed at the end.
        ///
        /// - Parameters:
        ///   - arguments: Further arguments of the program.
        ///   - isStarted: Whether the server runs when the operation begins. If not, its port is reserved all the same.
        @discardableResult
        static func run<Value>(
            _ arguments: [String] = ["-js"],
            isTLS: Bool = false,
            isStarted: Bool = true,
            _ operation: (NATSServer) async throws -> Value
        ) async throws -> Value {
            let server = try NATSServer(arguments, isTLS: isTLS)
            let result: Result<Value, any Error>
            do {
                try await server.start()
                if !isStarted { await server.kill() }
                result = .success(try await operation(server))
            } catch {
                result = .failure(error)
            }
            await server.kill()
            return try result.get()
        }

        /// Starts the program, at the same port as before and with the same files.
        func start() async throws {
            let program = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/nats-server" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
            guard let program else { throw Missing() }
            let output = folder.appending("output")
            try Data().write(to: output)
            let ports = folder.appending("ports")
            try? FileManager.default.removeItem(at: ports)
            try FileManager.default.createDirectory(at: ports, withIntermediateDirectories: true)
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments =
                ["-a", "127.0.0.1", "-p", String(port), "-sd", folder.path("data"), "--ports_file_dir", ports.path]
                + arguments
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = process.standardOutput
            try process.run()
            state.withLock { $0.process = process }
            let found = try await eventually("nats-server listens") { process.isRunning ? Self.port(in: ports) : -2 }
            guard found > 0 else { throw Failure(output: (try? String(contentsOf: output, encoding: .utf8)) ?? "") }
            state.withLock { $0.port = found }
        }

        /// Ends the program as a crash would.
        func kill() async {
            guard let process = state.withLock({ $0.process.take() }) else { return }
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
            _ = try? await eventually("nats-server ends") { process.isRunning ? nil : () }
        }

        private static func port(in folder: URL) -> Int? {
            struct Ports: Decodable { let nats: [String] }
            let files =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            guard let file = files.first(where: { $0.pathExtension == "ports" }),
                let data = try? Data(contentsOf: file),
                let url = try? JSONDecoder().decode(Ports.self, from: data).nats.first
            else { return nil }
            return URL(string: url)?.port
        }

        /// Connects a node.
        func node(_ name: String = "test", _ options: NATSOptions = .test) async throws -> NATSCluster {
            try await NATSCluster.connect(to: [url], name: name, options: options)
        }
    }

    extension NATSOptions {
        static var test: NATSOptions {
            var options = NATSOptions()
            options.partitions = 4
            return options
        }
    }
#endif
