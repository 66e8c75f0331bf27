import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// A message is validated by each carrier, whatever the dispatcher behind it does.
struct MessageValidationTests {
    private let validations = Validations()
    private let client = SpyClient(.ok, "3")
    private let baseURL: BaseURL

    init() throws {
        baseURL = try BaseURL(#require(URL(string: "https://shop.example")))
    }

    @Test func `a dispatcher over HTTP sends no invalid message and throws the message's own error`() async throws {
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        await #expect(throws: TooMany(limit: 101)) { _ = try await dispatcher.dispatch(CountBooks(limit: 101)) }
        #expect(client.sent.isEmpty)
        #expect(try await dispatcher.dispatch(CountBooks(limit: 100)) == 3)
        #expect(client.sent.count == 1)
    }

    @Test func `a server validates a message before its dispatcher gets it`() async throws {
        let api = try HTTPAPI { CountBooks.self }
        let dispatcher = try StandardDispatcher { CountBooksHandler() }
        guard case .found(let served, _) = api.route(.get, "books/count") else {
            Issue.record("The path has no endpoint.")
            return
        }
        let answer = try await Validations.$current.withValue(validations) {
            let request = MessageParts(parameters: [:], query: "limit=100", contentType: nil, body: Data())
            return try await served.answer(to: request, dispatcher, in: .current).response
        }
        #expect(answer.status == .ok)
        #expect(validations.count == 1)
    }
}

private final class Validations: Sendable {
    @TaskLocal static var current: Validations?
    private let number = Mutex(0)

    var count: Int { number.withLock(\.self) }

    func note() { number.withLock { $0 += 1 } }
}

private struct TooMany: Error, Equatable {
    let limit: Int
}

private struct CountBooks: HTTPQuery, Validatable {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("books/count")
    var limit: Int

    func validate() throws {
        Validations.current?.note()
        if limit > 100 { throw TooMany(limit: limit) }
    }
}

private struct CountBooksHandler: QueryHandler {
    func handle(_ query: CountBooks) async throws -> Int { 3 }
}
