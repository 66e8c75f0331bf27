#if NATS
    import DuetCluster
    import DuetNATS
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

        /// The path of the program: `DUET_NATS_SERVER`, or the one that is installed.
        private static var program: String {
            get throws {
                let folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
                let chosen = ProcessInfo.processInfo.environment["DUET_NATS_SERVER"].map { [$0] } ?? []
                let program = (chosen + folders.map { "\($0)/nats-server" })
                    .first { FileManager.default.isExecutableFile(atPath: $0) }
                guard let program else { throw Missing() }
                return program
            }
        }

        /// The version of the program, for example `[2, 9, 10]`.
        static var version: [Int] {
            get throws {
                let (process, output) = (Process(), Pipe())
                process.executableURL = URL(filePath: try program)
                process.arguments = ["--version"]
                process.standardOutput = output
                try process.run()
                let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                process.waitUntilExit()
                let numbers = text.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
                return numbers.split(separator: ".").compactMap { Int($0) }
            }
        }

        /// Whether servers that all crash while commands are added skip none of the next ones.
        ///
        /// With version 2.9, the position of a consumer may exceed that of its stream after such a crash.
        static var keepsConsumersInStep: Bool {
            get throws { try !version.lexicographicallyPrecedes([2, 11]) }
        }

        private let folder: TemporaryDirectory
        private let arguments: [String]
        private let isTLS: Bool
        private let reserved: ReservedPort
        private let process = Mutex<Process?>(nil)

        var port: Int { reserved.number }
        var url: String { "\(isTLS ? "tls" : "nats")://127.0.0.1:\(port)" }

        init(_ arguments: [String], isTLS: Bool, configuration: String? = nil) throws {
            folder = try TemporaryDirectory()
            reserved = try ReservedPort()
            let file = folder.appending("configuration")
            self.arguments = configuration == nil ? arguments : arguments + ["--config", file.path]
            self.isTLS = isTLS
            if let configuration { try configure(configuration) }
        }

        /// Writes the configuration file for the next start.
        func configure(_ text: String) throws {
            try Data(text.utf8).write(to: folder.appending("configuration"))
        }

        /// Runs an operation with a server, which is killed at the end.
        ///
        /// - Parameters:
        ///   - arguments: Further arguments of the program.
        ///   - configuration: The text of a configuration file; nil for none.
        ///   - isStarted: Whether the server runs when the operation begins. If not, its port is reserved all the same.
        @discardableResult
        static func run<Value>(
            _ arguments: [String] = ["-js"],
            isTLS: Bool = false,
            configuration: String? = nil,
            isStarted: Bool = true,
            _ operation: (NATSServer) async throws -> Value
        ) async throws -> Value {
            let server = try NATSServer(arguments, isTLS: isTLS, configuration: configuration)
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
            let program = try Self.program
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
            self.process.withLock { $0 = process }
            try await eventually("nats-server listens") { Self.hasFile(in: ports) || !process.isRunning ? () : nil }
            guard process.isRunning else {
                throw Failure(output: (try? String(contentsOf: output, encoding: .utf8)) ?? "")
            }

        }

        /// Ends the program as a crash would.
        func kill() async {
            guard let process = process.withLock({ $0.take() }) else { return }
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
            _ = try? await eventually("nats-server ends") { process.isRunning ? nil : () }
        }

        /// Stops the program, so that it reads nothing while its connections stay open.
        func pause() { signal(SIGSTOP) }

        /// Lets the program go on.
        func resume() { signal(SIGCONT) }

        private func signal(_ signal: Int32) {
            guard let process = process.withLock({ $0 }), process.isRunning else { return }
            _ = Foundation.kill(process.processIdentifier, signal)
        }

        /// Removes all streams, while the program does not run.
        func removeData() throws {
            try FileManager.default.removeItem(at: folder.appending("data"))
        }

        /// The program writes a file when it listens.
        private static func hasFile(in folder: URL) -> Bool {
            let files =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            return files.contains { $0.pathExtension == "ports" }
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
            // Longer than a test: nothing fails because the machine is busy.
            options.timeout = .seconds(3_600)
            options.pingInterval = .seconds(3_600)
            options.serverTimeout = .seconds(3_600)
            return options
        }
    }
#endif
