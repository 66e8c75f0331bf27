import Duet
import DuetCluster
import DuetClusterEngine
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

#if NATS
    /// The program as the nodes of a cluster on a real server of NATS, and `feed cluster`.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ClusterCommandTests {
        private let directory: TemporaryDirectory
        private var home: URL { directory.url }
        private let sample = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"

        init() throws {
            directory = try TemporaryDirectory()
        }

        private func feed(_ arguments: String...) async throws -> FeedProcess.Result {
            try await FeedCommand.run(arguments, home: home)
        }

        /// Runs `body` with the address of a server.
        private func withNATS(_ body: (_ url: String) async throws -> Void) async throws {
            let paths = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/nats-server" }
            let program = try #require(
                paths.first(where: FileManager.default.isExecutableFile),
                "nats-server is not installed. Run make setup-tests, or apt-get install nats-server."
            )
            let store = home.appending(path: "nats")
            try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
            let server = try FeedProcess(
                ["-js", "-sd", store.path, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", store.path],
                home: home,
                program: URL(filePath: program)
            )
            try await body(try await address(in: store))
            server.interrupt()
            _ = try await server.finish()
        }

        /// Waits for the file in which a server writes its address.
        private func address(in folder: URL) async throws -> String {
            while true {
                let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                if let file = files.first(where: { $0.pathExtension == "ports" }),
                    let address = try String(contentsOf: file, encoding: .utf8).firstMatch(of: /nats:\/\/[0-9.:]+/)
                {
                    return String(address.output)
                }
                try await ContinuousClock().sleep(for: .milliseconds(5))
            }
        }

        @Test func `a cluster goes on when one of its workers is killed`() async throws {
            let result = try await FeedProcess(
                [projectFile("scripts/cluster.sh").path, builtExecutable("feed").path],
                home: home,
                environment: ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"],
                program: URL(filePath: "/bin/bash")
            ).finish()
            #expect(result.status == 0, "\(result.output)\(result.error)")
            for line in [
                "two images were published through the cluster, and the page shows them",
                "a comment was posted, and arrived on an open page",
                "the first worker was killed while comments are being posted",
                "all 12 comments were posted, and arrived",
                "everything has ended",
            ] {
                #expect(result.output.contains(line))
            }
        }

        @Test func `commands that could not be handled are listed, shown, edited, retried and dropped`() async throws {
            try await withNATS { nats in
                let worker = try FeedProcess(
                    ["serve", "--originals-only", "--port", "0", "--cluster", nats],
                    home: home
                )
                let remote = try await worker.printed("Backend:")
                try await FeedCluster(servers: [nats], name: "feed").use { engine in
                    for id in ["first", "second"] {
                        let envelope = Envelope(headers: ["Duet-Version": "1"], body: Data(#"{"id":1}"#.utf8))
                        let name = PostImageComment.messageName
                        _ = try await engine.commands.append(
                            LoggedCommand(id: id, key: sample, message: name, envelope: envelope)
                        )
                    }
                    while try await engine.commands.statistics().deadLetters < 2 { await Task.yield() }
                }
                let status = try await feed("cluster", "status", "--json", "--cluster", nats)
                #expect(status.output.contains(#""deadLetters" : 2"#))
                #expect(status.output.contains(#""waiting" : 0"#))

                let letters = try await list("--cluster", nats)
                #expect(letters.map(\.command) == [PostImageComment.messageName, PostImageComment.messageName])
                #expect(letters.allSatisfy { $0.key == sample && $0.attempts == 1 })
                #expect(letters.allSatisfy { $0.reason.contains("cannot be read") })
                let (first, second) = (letters[0].id, letters[1].id)
                let table = try await feed("cluster", "dead-letters", "--cluster", nats)
                #expect(table.output.contains("COMMAND") && table.output.contains(second))

                let body = try await feed("cluster", "dead-letters", "show", first, "--body", "--cluster", nats)
                #expect(body.output == "{\"id\":1}\n")
                let shown = try await feed("cluster", "dead-letters", "show", first, "--cluster", nats)
                #expect(shown.output.contains("Body:      {\"id\":1}"))

                let comment = PostImageComment(id: UUID(), imageID: try id(sample), message: "Mended", username: "me")
                let file = home.appending(path: "command.json")
                try JSONEncoder().encode(comment).write(to: file)
                let edited = try await list("edit", first, file.path, "--cluster", nats)
                #expect(edited.map(\.id) == [second])
                while try await !feed("comments", sample, "--remote", remote).output.contains("Mended") {}

                let again = try await list("retry", second, "--cluster", nats)
                #expect(again.count <= 1)
                try await FeedCluster(servers: [nats], name: "feed").use { engine in
                    while try await engine.commands.statistics().deadLetters < 1 { await Task.yield() }
                }
                let last = try #require(try await list("--cluster", nats).first?.id)
                #expect(try await list("drop", last, "--cluster", nats).isEmpty)
                let unknown = try await feed("cluster", "dead-letters", "drop", last, "--cluster", nats)
                #expect(unknown.status == 1)
                #expect(unknown.error.contains("There is no dead letter \(last)."))
                worker.interrupt()
                #expect(try await worker.finish().status == 0)
            }
        }

        @Test func `of more than a thousand dead letters the oldest are listed, and each one is shown`() async throws {
            try await withNATS { nats in
                let last = try await FeedCluster(servers: [nats], name: "feed").use { engine in
                    let worker = try await engine.commands.process(ProcessingOptions()) { _ in .dead(reason: "test") }
                    for id in (1...1_001).map({ "\($0)" }) {
                        let command = LoggedCommand(id: id, key: id, message: "M", envelope: Envelope())
                        _ = try await engine.commands.append(command)
                    }
                    while try await engine.commands.statistics().deadLetters < 1_001 { await Task.yield() }
                    await worker.stop()
                    return try #require(try await engine.commands.deadLetters.list(limit: 1_001).last)
                }
                let result = try await feed("cluster", "dead-letters", "--json", "--cluster", nats)
                #expect(try JSONDecoder().decode(Letters.self, from: Data(result.output.utf8)).items.count == 1_000)
                #expect(result.error.hasPrefix("These are the oldest 1000."))
                let shown = try await feed("cluster", "dead-letters", "show", last.id, "--cluster", nats)
                #expect(shown.output.contains("M \(last.id)"))
            }
        }

        @Test func `a cluster that cannot be reached is reported`() async throws {
            let port = try ReservedPort()
            let status = try await feed("cluster", "--cluster", "nats://127.0.0.1:\(port.number)")
            #expect(status.status == 69)
            #expect(status.error.contains("The connection to the cluster was lost"))
        }

        @Test(arguments: [["--cluster", "http://127.0.0.1"], ["--cluster", ""], ["--cluster-name", "a b"]])
        func `other addresses and names are refused, and passwords are not repeated`(arguments: [String]) async throws {
            for command in [["cluster", "status"], ["serve"], ["web"]] {
                let result = try await FeedCommand.run(command + arguments, home: home)
                #expect(result.status == 64)
            }
            let secret = try await feed("cluster", "--cluster", "nats://ann:secret@127.0.0.1,wrong")
            #expect(secret.status == 64)
            #expect(!secret.error.contains("secret"))
        }

        private struct Letters: Decodable {
            struct Item: Decodable {
                let id: String
                let command: String
                let key: String
                let attempts: Int
                let reason: String
            }

            let items: [Item]
        }

        private func list(_ arguments: String...) async throws -> [Letters.Item] {
            let result = try await FeedCommand.run(["cluster", "dead-letters"] + arguments + ["--json"], home: home)
            #expect(result.status == 0, "\(result.error)")
            return try JSONDecoder().decode(Letters.self, from: Data(result.output.utf8)).items
        }

        private func id(_ text: String) throws -> UUID { try #require(UUID(uuidString: text)) }
    }
#else
    @Suite struct ClusterCommandTests {
        @Test func `without NATS the program says how to build it`() async throws {
            let directory = try TemporaryDirectory()
            let result = try await FeedCommand.run("cluster", home: directory.url)
            #expect(result.status == 1)
            #expect(result.error.contains("swift build --traits EssentialFeed,NATS"))
        }
    }
#endif
