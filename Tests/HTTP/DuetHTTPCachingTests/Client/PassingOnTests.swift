import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// The cache also forwards the parts of a response besides head and body.
@Suite(.timeLimit(.minutes(5)))
struct PassingOnTests {
    private static let sum = HTTPField.Name("X-Sum")

    @Test(arguments: ["no-store", "max-age=60"])
    func `RFC 9110, section 6.5: trailers are forwarded, and not stored`(control: String) async throws {
        let name = try #require(Self.sum)
        let scene = Scene { _ in
            let body = HTTPBody(Once(data: Data("abc".utf8)), size: nil, trailers: { [name: "1"] })
            return .init(200, ["Cache-Control: \(control)"], body)
        }
        let (_, body) = try await scene.client.send(ask())
        #expect(try await body.text() == "abc")
        #expect(body.trailers[name] == "1")
        guard control != "no-store" else { return }
        let (response, stored) = try await scene.client.send(ask())
        #expect(response.cacheStatus?.hit == true)
        #expect(try await stored.text() == "abc")
        #expect(stored.trailers.isEmpty)
        #expect(!response.headerFields.contains(name))
    }
}

private struct Once: AsyncSequence, Sendable {
    let data: Data

    struct AsyncIterator: AsyncIteratorProtocol {
        var data: Data?

        mutating func next() async throws -> Data? { data.take() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(data: data) }
}
