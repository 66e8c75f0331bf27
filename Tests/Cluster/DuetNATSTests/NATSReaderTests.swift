#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import FuzzTesting
    import Testing

    /// What reads bytes that come from a server of NATS, or through it from others.
    enum NATSReader: CaseIterable, Sendable {
        /// A block of headers.
        case headers
        /// The reply subjects of delivered messages, a line each.
        case replies
        /// A stream as the server reports it.
        case stream
        /// A stored message as the server returns it.
        case message
        case time
        case failure

        /// Reads an input, which does not end the process.
        func read(_ input: [UInt8]) {
            let text = String(decoding: input, as: UTF8.self)
            switch self {
            case .headers:
                _ = ReceivedFields(block: input).headers
            case .replies:
                var place = FollowedPosition()
                for reply in text.split(separator: "\n") {
                    _ = place.beginConsumer()
                    let position = DeliveredPosition(reply: String(reply), stream: "feed_EVENTS", consumer: "a")
                    if let position { _ = place.advance(to: position) }
                }
            case .stream:
                guard let info = try? JetStream.decode(StreamInfo.self, from: Data(input)) else { return }
                var place = FollowedPosition(epoch: info.epoch, sequence: 0)
                _ = place.resume(in: info)
                place = FollowedPosition()
                _ = place.resume(in: info)
                _ = place.beginConsumer()
            case .message:
                guard let stored = try? JetStream.decode(StoredMessage.self, from: Data(input)) else { return }
                _ = (stored.message.envelope, stored.position, stored.date)
            case .time:
                _ = ServerTime.microseconds(text)
            case .failure:
                _ = QueryFailure.error(text)
            }
        }

        var corpus: [String] {
            switch self {
            case .headers:
                [
                    "NATS/1.0\r\nEnv-Duet-Version: 1\r\nEnv-Duet-Principal: {\"id\":\"a\",\"scopes\":[]}\r\n\r\n",
                    "NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 1\r\nNats-Last-Stream: 1\r\n\r\n",
                ]
            case .replies:
                [
                    "$JS.ACK.feed_EVENTS.a.1.7.1.1700000000.0\n$JS.ACK.feed_EVENTS.a.1.8.2.1700000000.0",
                    "$JS.ACK.domain.account.feed_EVENTS.a.1.4611686018427387903.1.1700000000.0.token",
                ]
            case .stream:
                [
                    Self.stream(lastSequence: "4611686018427387903"),
                    #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#,
                ]
            case .message:
                [
                    #"{"subject":"feed.dead.3.17","seq":1,"data":"e30=","hdrs":"TkFUUy8xLjANCkVudi1BOiBiDQoNCg==","#
                        + #""time":"2025-01-31T12:00:00Z"}"#
                ]
            case .time: ["2025-01-31T12:00:00.123456789Z", "9999-12-31T23:59:60Z", "0000-00-00T00:00:00"]
            case .failure: ["too-large 1 2", "busy", "too-large 9223372036854775807 -9223372036854775808"]
            }
        }

        /// A stream as a server reports it.
        static func stream(lastSequence: String) -> String {
            #"{"config":{"name":"a","retention":"limits","storage":"file","discard":"old","num_replicas":1,"max_age":1},"#
                + #""created":"9999-12-31T23:59:59.999999Z","#
                + #""state":{"messages":0,"first_seq":1,"last_seq":\#(lastSequence)}}"#
        }

        static let tokens = [
            "0", "-1", "1", ".", ":", " ", "\r\n", "\n", "$JS", "ACK", "18446744073709551615", "9223372036854775807",
            "4611686018427387904", "4611686018427387903", "\u{301}", "\u{323}\u{301}", "%", "%41", "\"", "{", "[",
            "null", "1e400",
            "NaN", "Z", "Env-", "9999-12-31T23:59:59.9999999Z", #"\u0301"#,
        ]
    }

    @Suite(.timeLimit(.minutes(5))) struct NATSReaderTests {
        @Test(arguments: NATSReader.allCases)
        func `no bytes end the process or take long`(reader: NATSReader) async throws {
            let report = try await Fuzzer(
                name: "nats-\(reader)",
                corpus: reader.corpus.map { Array($0.utf8) },
                tokens: NATSReader.tokens,
                length: .part(of: NATSReader.allCases.count, inputs: 6_000)
            ) {
                reader.read($0)
                return .fine
            }
            .run()
            #expect(report.faults == [], "DUET_FUZZ_SEED=\(Fuzzer.seed)")
        }

        @Test(arguments: [
            ("4611686018427387903", true), ("4611686018427387904", false), ("18446744073709551615", false),
        ])
        func `a sequence is less than 2 to the power of 62`(sequence: String, isRead: Bool) {
            #expect((Self.position("$JS.ACK.a.b.1.\(sequence).1.1.0") != nil) == isRead)
            let info = NATSReader.stream(lastSequence: sequence)
            let read = try? JetStream.decode(StreamInfo.self, from: Data(info.utf8))
            #expect((read != nil) == isRead)
            var place = FollowedPosition()
            #expect((read.flatMap { place.resume(in: $0) } != nil) == isRead)
        }

        @Test(arguments: ["x", "$JS.x", "$js", "$JS ", ""])
        func `only a reply subject of JetStream is the place of a message`(first: String) {
            #expect(Self.position("$JS.ACK.a.b.1.7.1.1.0")?.streamSequence == 7)
            #expect(Self.position("\(first).ACK.a.b.1.7.1.1.0") == nil)
        }

        @Test(arguments: [
            ("a.b", true), ("domain.account.a.b", true), ("a.c", false), ("b.b", false), ("domain.account.a.c", false),
        ])
        func `only a position of the same stream and consumer counts`(origin: String, isRead: Bool) {
            let end = origin.contains("domain") ? "0.token" : "0"
            #expect((Self.position("$JS.ACK.\(origin).1.7.1.1.\(end)")?.consumerSequence == 1) == isRead)
        }

        private static func position(_ reply: String) -> DeliveredPosition? {
            DeliveredPosition(reply: reply, stream: "a", consumer: "b")
        }

        @Test func `pauses before another consumer grow, and an event or a heartbeat in order ends that`() throws {
            var place = FollowedPosition(epoch: 0, sequence: 6)
            let pauses = (0..<8).map { _ in place.pauseBeforeConsumer() }
            #expect(pauses == [0, 1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
            _ = place.beginConsumer()
            let event = try #require(Self.position("$JS.ACK.a.b.1.7.1.1.0"))
            #expect(place.advance(to: event) == .next(7))
            #expect(place.pauseBeforeConsumer() == .zero)
            let others = [0, 2].map { place.lacksMessages(of: $0) }
            #expect(others == [false, true])
            #expect(place.pauseBeforeConsumer() == .seconds(1))
            let lacksMessages = place.lacksMessages(of: 1)
            #expect(!lacksMessages && place.pauseBeforeConsumer() == .zero)
        }

        @Test func `a message whose numbers contradict each other makes a follower begin again`() throws {
            var place = FollowedPosition(epoch: 1_000, sequence: 10)
            _ = place.beginConsumer()
            let far = try #require(Self.position("$JS.ACK.a.b.1.4611686018427387903.1.1.0"))
            #expect(place.advance(to: far) == .after(gap: 4_611_686_018_427_388_902, 4_611_686_018_427_388_903))
            let next = try #require(Self.position("$JS.ACK.a.b.1.11.2.1.0"))
            #expect(place.advance(to: next) == .missing)
        }

        @Test(arguments: [(30, true), (31, false)])
        func `an envelope with text that takes long to compare is one that no node reads`(
            marks: Int,
            isRead: Bool
        ) throws {
            let block = "NATS/1.0\r\nEnv-a: \(String(repeating: "\u{301}", count: marks))\r\n\r\n"
            let headers = Data(block.utf8).base64EncodedString()
            let json = #"{"subject":"a","seq":1,"time":"","hdrs":"\#(headers)"}"#
            let message = try JetStream.decode(StoredMessage.self, from: Data(json.utf8)).message
            #expect((message.envelope.headers["a"] != nil) == isRead)
        }

        @Test(arguments: [
            NATSEvent.disconnected(reason: forgery), .closed(reason: forgery), .slow(subject: forgery),
            .failure(reason: forgery),
        ])
        func `a change of the connection does not forge a line of a log`(event: NATSEvent) {
            #expect(!event.description.unicodeScalars.contains { $0.isInterpreted })
        }

        private static let forgery = "x\r\n2030-01-01 info: paid\u{2028}\u{1B}[2K"

        @Test func `a message with too many headers is an envelope that no node reads`() {
            let lines = (0..<1_000).map { "Env-H\($0): a\r\n" }.joined()
            #expect(ReceivedFields(block: Array("NATS/1.0\r\n\(lines)\r\n".utf8)).headers.count == 1)
        }
    }
#endif
