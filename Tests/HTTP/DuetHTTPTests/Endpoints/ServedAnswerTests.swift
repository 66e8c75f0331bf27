import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct ServedAnswerTests {
    private let order: Served

    init() throws {
        order = try Served(OrderBook.self)
    }

    @Test func `the response to a command has its status and its fields`() async throws {
        let answer = try await order.answer(["id": "7"], body: #"{"copies": 2}"#)
        #expect(answer == ServedResponse(status: .noContent, headers: [.cacheControl: "no-store"]))
        #expect(order.journal.entries == ["order 7 2"])
    }

    @Test func `the status of a success is computed before the command is handled`() async throws {
        let journal = Journal()
        let status = SuccessStatus(of: OrderBook.self) { command, dispatcher in
            journal.write("asked for \(command.id) \(try await dispatcher.dispatch(FindBook(id: 1)).title)")
            return .created
        }
        let served = try Served(OrderBook.self, status: status)
        #expect(try await served.answer(["id": "7"], body: #"{"copies": 1}"#).status == .created)
        #expect(journal.entries == ["asked for 7 Emma"])
        #expect(served.journal.entries == ["order 7 1"])
    }

    @Test func `a command whose status cannot be determined is not handled`() async throws {
        struct NoStatus: Error {}
        let status = SuccessStatus(of: OrderBook.self) { _, _ in throw NoStatus() }
        let served = try Served(OrderBook.self, status: status)
        await #expect(throws: NoStatus.self) { try await served.answer(["id": "7"], body: #"{"copies": 1}"#) }
        #expect(served.journal.entries == [])
    }

    @Test func `a value is sent as JSON, with the message's fields`() async throws {
        let answer = try await Served(FindBook.self).answer(["id": "1"], query: "language=Emma")
        #expect(answer.status == .ok)
        #expect(
            answer.headers == [.contentType: "application/json", .cacheControl: "max-age=60", .vary: "Accept"]
        )
        #expect(answer.entityTag == nil)
        let json = try JSONDecoder().decode(JSONValue.self, from: #require(answer.body))
        #expect(
            json
                == .object([
                    "id": .integer(1), "title": .string("Emma"), "published": .string("1970-01-01T00:00:00.5Z"),
                ])
        )
    }

    @Test func `bytes are sent unchanged`() async throws {
        let answer = try await Served(FindCover.self).answer(["id": "3"])
        let png = HTTPFields(dictionaryLiteral: (.contentType, "image/png"))
        #expect(answer == ServedResponse(status: .ok, headers: png, body: Data([0, 255, 3]), entityTag: "tag"))
    }

    /// Bytes of any media type.
    private struct FindFile: HTTPQuery {
        typealias Value = HTTPBytes
        static let route: QueryRoute<Self> = .get("file")
    }

    @Test(arguments: ["", "a\nb", "a/b\r\nset-cookie: c=d", "a\u{0}"])
    func `bytes of a media type that is not a valid field value are not sent`(_ mediaType: String) async throws {
        struct Handler: QueryHandler {
            let mediaType: String
            func handle(_ query: FindFile) async throws -> HTTPBytes { HTTPBytes(Data([1]), mediaType: mediaType) }
        }
        let dispatcher = try StandardDispatcher { Handler(mediaType: mediaType) }
        let request = MessageParts(parameters: [:], query: nil, contentType: nil, body: Data())
        let endpoint = try Served(FindFile.self).endpoint
        await #expect(throws: EncodingError.self) { try await endpoint.answer(to: request, dispatcher, in: .current) }
    }

    @Test func `nil is sent as no content`() async throws {
        #expect(try await Served(FindOffer.self).answer() == ServedResponse(status: .noContent))
        #expect(
            try await Served(FindSample.self).answer(["id": "0"]) == ServedResponse(status: .noContent)
        )
    }

    @Test func `a payload is written in the coding of its message`() async throws {
        let answer = try await Served(FindPrice.self).answer(["id": "250"])
        let json = try JSONDecoder().decode(JSONValue.self, from: #require(answer.body))
        #expect(json == .object(["cents": .integer(250), "for_book": .integer(250)]))
    }

    @Test func `an endpoint lists the media types of its requests and responses`() throws {
        #expect(order.endpoint.consumes == ["application/json"])
        #expect(order.endpoint.produces == [])
        let removal = try Served(RemoveBook.self).endpoint
        #expect(removal.consumes == [])
        #expect(try Served(PutCover.self).endpoint.consumes == nil)
        let book = try Served(FindBook.self).endpoint
        #expect(book.consumes == [])
        #expect(book.produces == ["application/json"])
        #expect(try Served(FindOffer.self).endpoint.produces == ["application/json"])
        #expect(try Served(FindCover.self).endpoint.produces == nil)
        #expect(try Served(FindSample.self).endpoint.produces == nil)
    }
}
