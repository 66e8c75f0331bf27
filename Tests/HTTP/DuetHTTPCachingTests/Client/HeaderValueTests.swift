import Duet
import DuetCaching
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// Values that contain header fields of their responses.
@Suite(.timeLimit(.minutes(5)))
struct HeaderValueTests {
    private let scene = Scene { sent in
        let fields = ["Cache-Control: max-age=60", "ETag: \"1\"", "Content-Type: application/json"]
        return sent.number == 1
            ? .init(200, fields + ["Link: </a>"], "[7]") : .init(304, fields + ["Link: </b>"], "")
    }

    private func dispatcher() throws -> HTTPDispatcher {
        HTTPDispatcher(baseURL: try #require(URL(string: "https://origin.example")), client: scene.client)
    }

    @Test func `an HTTP cache returns the fields with the body, renewed by a validation`() async throws {
        let dispatcher = try dispatcher()
        for _ in 1...2 { #expect(try await dispatcher.dispatch(ListParts()) == Parts(ids: [7], link: "</a>")) }
        #expect(scene.origin.count == 1)
        scene.time.pass(61)
        for _ in 1...2 { #expect(try await dispatcher.dispatch(ListParts()) == Parts(ids: [7], link: "</b>")) }
        #expect(scene.origin.count == 2)
    }

    @Test func `a query cache keeps them with the value`() async throws {
        let dispatcher = try dispatcher().caching(in: .memory(limit: .entries(10))) {
            Cache(ListParts.self, .untilInvalidated)
        }
        for _ in 1...2 { #expect(try await dispatcher.dispatch(ListParts()) == Parts(ids: [7], link: "</a>")) }
        #expect(scene.origin.count == 1)
    }
}

private struct Parts: Equatable, Sendable {
    let ids: [Int]
    var link: String?
}

private struct ListParts: ThirdPartyQuery, Hashable {
    typealias Value = Parts
    static let route: QueryRoute<Self> = .get("parts")
        .readingHeaders { parts, fields in parts.link = HTTPField.Name("Link").flatMap { fields[$0] } }

    static func value(from payload: [Int], answering query: Self) -> Parts { Parts(ids: payload) }
}
