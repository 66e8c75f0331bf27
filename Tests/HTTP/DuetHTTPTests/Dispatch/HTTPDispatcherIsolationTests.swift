import Dispatch
import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// A screen dispatches on the main actor, which has to stay free while large values are encoded and decoded.
@MainActor
@Suite struct HTTPDispatcherIsolationTests {
    /// Where the parts of an exchange ran.
    private final class Places: Sendable {
        @TaskLocal static var current: Places?
        private let all = Mutex<[String]>([])

        var noted: [String] { all.withLock { $0 } }

        static func note(_ part: String) {
            let isOnMain = DispatchQueue.getSpecific(key: mainQueue) == true
            current?.all.withLock { $0.append(isOnMain ? "\(part) on the main actor" : part) }
        }

        /// Is true on the queue that executes the main actor.
        static let mainQueue: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()
    }

    private struct Text: Codable, Sendable {
        let text: String

        init(text: String) {
            self.text = text
        }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            // The payload of a declaration is decoded too, from placeholders.
            if text == "hello" { Places.note("decode") }
        }

        func encode(to encoder: any Encoder) throws {
            Places.note("encode")
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    /// A value that may not leave its actor.
    private final class Label {
        let text: String

        init(text: String) {
            self.text = text
        }
    }

    private struct LoadLabel: HTTPQuery {
        typealias Value = Label
        typealias Payload = Text
        static let route: QueryRoute<Self> = .post("label")
        var text = Text(text: "a")

        static func value(from payload: Text, answering query: LoadLabel) throws -> Label {
            Places.note("map")
            return Label(text: payload.text)
        }

        static func payload(from value: Label, answering query: LoadLabel) throws -> Text { Text(text: value.text) }
    }

    private struct SetLabel: HTTPCommand {
        static let route: CommandRoute<Self> = .post("label")
        var text = Text(text: "a")
    }

    private struct PlacedClient: HTTPClient {
        let base: SpyClient

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            Places.note("send")
            return try await base.send(request, body: body)
        }
    }

    private func dispatcher(_ client: SpyClient) throws -> HTTPDispatcher {
        HTTPDispatcher(baseURL: try BaseURL("https://labels.example"), client: PlacedClient(base: client))
    }

    @Test func `a main actor test runs on the main actor`() async {
        let places = Places()
        await Task.yield()
        Places.$current.withValue(places) { Places.note("test") }
        #expect(places.noted == ["test on the main actor"])
    }

    @Test func `a query is encoded, sent, decoded and mapped off its caller's actor`() async throws {
        let places = Places()
        let dispatcher = try dispatcher(SpyClient(.ok, #""hello""#, mediaType: "application/json"))
        let label = try await Places.$current.withValue(places) { try await dispatcher.dispatch(LoadLabel()) }
        #expect(label.text == "hello")
        #expect(places.noted == ["encode", "send", "decode", "map"])
    }

    @Test func `a command is encoded and sent off its caller's actor`() async throws {
        let places = Places()
        let dispatcher = try dispatcher(SpyClient(.noContent))
        try await Places.$current.withValue(places) { try await dispatcher.dispatch(SetLabel()) }
        #expect(places.noted == ["encode", "send"])
    }
}
