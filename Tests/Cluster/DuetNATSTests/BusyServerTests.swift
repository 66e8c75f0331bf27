#if NATS
    import Duet
    import DuetCluster
    import DuetContext
    import DuetNATS
    import Foundation
    import TestSupport
    import Testing

    /// Servers that cannot store a command at the moment.
    @Suite(.timeLimit(.minutes(5))) struct BusyServerTests {
        /// The errors of nats-server 2.12 (server/errors.json).
        enum Fault: String, CaseIterable {
            case stillStoring = #"{"code":409,"err_code":10158,"description":"duplicate message id is in process"}"#
            case tooManyRequests = #"{"code":429,"err_code":10167,"description":"too many requests"}"#
            case unavailable = #"{"code":503,"err_code":10008,"description":"temporarily unavailable"}"#
        }

        @Test(arguments: Fault.allCases)
        func `a command is published again, and the answer is that of a repeat`(fault: Fault) async throws {
            try await dispatch { number in
                number < 3 ? #"{"error":\#(fault.rawValue)}"# : #"{"stream":"test_COMMANDS","seq":1,"duplicate":true}"#
            }
        }

        @Test(arguments: Fault.allCases)
        func `a sender learns that another attempt may succeed`(fault: Fault) async throws {
            let error = await #expect(throws: TransportError.self) {
                try await dispatch(within: .milliseconds(300)) { _ in #"{"error":\#(fault.rawValue)}"# }
            }
            #expect(error?.isTemporary == true, "\(String(describing: error))")
        }

        /// Dispatches a command to a server whose JetStream answers as a test says.
        private func dispatch(
            within limit: Duration = .seconds(3_600),
            _ answer: @escaping @Sendable (_ number: Int) -> String
        ) async throws {
            try await NATSServer.run([]) { server in
                try FakeJetStream.run(on: server, answer)
                var options = NATSOptions.test
                options.timeout = limit
                let node = try await server.node("test", options)
                let remote = try ClusterDispatcher(Shop.messages, on: node, options: .patient)
                let result: Result<Void, any Error>
                do {
                    result = .success(
                        try await withDeadline(in: limit) {
                            try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
                        }
                    )
                } catch {
                    result = .failure(error)
                }
                await node.close()
                try result.get()
            }
        }
    }

    /// Answers requests in place of JetStream, until the server ends.
    private enum FakeJetStream {
        static func run(on server: NATSServer, _ answer: @escaping @Sendable (_ number: Int) -> String) throws {
            let client = try RawClient(server)
            try client.send("SUB $JS.API.> 1")
            try client.send("SUB test.command.* 2")
            _ = try client.received()
            let thread = Holder(client)
            Thread.detachNewThread {
                var count = 0
                var streams: [Substring: String] = [:]
                while let text = try? thread.client.received() {
                    for match in text.matches(of: #/H?MSG (\S+) [12] (\S+) [\d ]+\r\n(.*)/#) {
                        let (subject, reply, body) = (match.output.1, match.output.2, match.output.3)
                        let name = subject.split(separator: ".").last ?? ""
                        if subject.hasPrefix("test.command") { count += 1 }
                        if subject.contains(".STREAM.CREATE.") { streams[name] = String(body) }
                        let hasStream = !subject.contains(".MSG.GET.")
                        let response =
                            subject.hasPrefix("test.command") ? answer(count) : info(hasStream ? streams[name] : nil)
                        try? thread.client.publish(String(reply), response)
                    }
                    usleep(1_000)
                }
            }
        }

        /// The information about a stream; nil for one that does not exist.
        private static func info(_ configuration: String?) -> String {
            guard let configuration else {
                return #"{"error":{"code":404,"err_code":10037,"description":"not found"}}"#
            }
            let state = #"{"messages":0,"first_seq":0,"last_seq":0}"#
            return #"{"config":\#(configuration),"created":"2026-01-01T00:00:00Z","state":\#(state)}"#
        }

        private final class Holder: Sendable {
            let client: RawClient

            init(_ client: consuming RawClient) { self.client = client }
        }
    }
#endif
