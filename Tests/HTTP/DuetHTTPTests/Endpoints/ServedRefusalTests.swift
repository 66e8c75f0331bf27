import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct ServedRefusalTests {
    private let ada = Principal(id: "ada", scopes: ["books"])
    private let bob = Principal(id: "bob")

    private func removal(_ rule: AuthorizationRule<RemoveBook>) throws -> Served {
        try Served(RemoveBook.authorized(rule))
    }

    @Test func `an unauthenticated client is refused before the message is read`() async throws {
        let served = try removal(.principal)
        let answer = try await served.answer(["id": "no number"])
        #expect(answer.status == .unauthorized)
        #expect(answer.headers[.wwwAuthenticate] == #"Bearer realm="api""#)
        #expect(try answer.problem().status == 401)
        #expect(served.journal.entries == [])
    }

    @Test func `any principal is accepted where the rule asks for one`() async throws {
        let served = try removal(.principal)
        #expect(try await served.answer(["id": "1"], principal: bob).status == .noContent)
        #expect(served.journal.entries == ["remove 1"])
    }

    @Test func `a principal without the scope is forbidden, and one with it is accepted`() async throws {
        let served = try removal(.scope("books"))
        let answer = try await served.answer(["id": "1"], principal: bob)
        #expect(answer.status == .forbidden)
        #expect(try answer.problem().title == "Forbidden")
        #expect(served.journal.entries == [])
        #expect(try await served.answer(["id": "2"], principal: ada).status == .noContent)
        #expect(served.journal.entries == ["remove 2"])
    }

    @Test func `a rule decides on the message and the principal`() async throws {
        let served = try removal(.when { command, principal in command.id == 1 && principal.id == "bob" })
        #expect(try await served.answer(["id": "1"], principal: bob).status == .noContent)
        #expect(try await served.answer(["id": "2"], principal: bob).status == .forbidden)
        #expect(try await served.answer(["id": "1"], principal: ada).status == .forbidden)
    }

    @Test func `the rule of the list sees the message too`() async throws {
        let messages = MessageAPI("books", authorized: .when { message, _ in (message as? RemoveBook)?.id == 1 }) {
            RemoveBook.self
        }
        let served = try Served(#require(messages.entries.first))
        #expect(try await served.answer(["id": "1"], principal: bob).status == .noContent)
        #expect(try await served.answer(["id": "2"], principal: bob).status == .forbidden)
    }

    @Test func `a rule that throws accepts nobody, and its problem is sent`() async throws {
        let served = try removal(.when { _, _ in throw Undeclared() })
        let answer = try await served.answer(["id": "1"], principal: ada)
        #expect(try answer.problem().type == Undeclared.problemType)
        #expect(served.journal.entries == [])
    }

    @Test(arguments: [
        ("{}", "copies"), (#"{"copies": "2"}"#, "copies"), ("{", "body"),
    ])
    func `the response to an unreadable request has the place of the fault`(
        body: String,
        place: String
    ) async throws {
        let answer = try await Served(OrderBook.self).answer(["id": "1"], body: body)
        #expect(answer.status == .badRequest)
        let problem = try answer.problem()
        #expect(problem.type == "about:blank")
        #expect(problem.title == "Bad Request")
        #expect(problem.detail?.hasPrefix("\(place) ") == true, "\(problem)")
    }

    /// Refuses with its own errors.
    private struct Picky: HTTPCommand {
        struct Refusal: Error { let secret = "hunter2" }

        static let route: CommandRoute<Self> = .post("picky").throwing(ShopClosed.self)
        let id: Int

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            switch id {
            case 1: throw Refusal()
            case 2: throw ShopClosed()
            case 3: throw CancellationError()
            case 4:
                let text = "Cannot initialize Hunter2"
                throw DecodingError.dataCorrupted(.init(codingPath: [CodingKeys.id], debugDescription: text))
            default: throw OutOfStock(bookID: 1, nextDelivery: nil)
            }
        }
    }

    @Test(arguments: [1, 4, 5]) func `an error of a message's own decoding is a 400 without its description`(
        _ id: Int
    ) async throws {
        let answer = try await Served(Picky.self).answer(body: #"{"id": \#(id)}"#)
        #expect(answer.status == .badRequest)
        #expect(try answer.problem().detail?.contains("is not valid") == true)
        #expect(!answer.text.lowercased().contains("hunter2"))
    }

    @Test func `a declared problem of a message's own decoding reaches the sender`() async throws {
        let answer = try await Served(Picky.self).answer(body: #"{"id": 2}"#)
        #expect(answer.status == .serviceUnavailable)
        #expect(try answer.problem().type == ShopClosed.problemType)
    }

    @Test func `a canceled decoding is not a response`() async throws {
        await #expect(throws: CancellationError.self) {
            try await Served(Picky.self).answer(body: #"{"id": 3}"#)
        }
    }

    @Test func `a body of another media type is refused with the accepted ones`() async throws {
        let answer = try await Served(OrderBook.self).answer(
            ["id": "1"],
            body: "<a/>",
            contentType: "text/xml"
        )
        #expect(answer.status == .unsupportedMediaType)
        #expect(answer.headers[.accept] == "application/json")
        #expect(try answer.problem().status == 415)
    }

    /// Can be read, and is not valid.
    private struct Nonsense: HTTPCommand, Validatable {
        struct Reason: Error, CustomStringConvertible { let description = "copies must be 1 or more." }

        static let route: CommandRoute<Self> = .post("nonsense")
            .throwing(ShopClosed.self)
        let copies: Int

        func validate() throws {
            if copies < 0 { throw ShopClosed() }
            if copies == 0 { throw Reason() }
        }
    }

    @Test func `the response to an invalid message has its validation error or its declared problem`()
        async throws
    {
        let served = try Served(Nonsense.authorized(.when { _, principal in principal.id == "ada" }))
        let answer = try await served.answer(body: #"{"copies": 0}"#, principal: ada)
        #expect(answer.status == .unprocessableContent)
        #expect(try answer.problem().detail == "copies must be 1 or more.")
        let declared = try await served.answer(body: #"{"copies": -1}"#, principal: ada)
        #expect(try declared.problem().type == ShopClosed.problemType)
        // A valid message reaches the dispatcher, which has no handler for it.
        await #expect(throws: DispatchError.self) { try await served.answer(body: #"{"copies": 1}"#, principal: ada) }
    }

    @Test func `the scope is checked before the message is read`() async throws {
        let served = try Served(Nonsense.authorized(.scope(anyOf: ["books", "shelves"])))
        #expect(try await served.answer(body: "{", principal: bob).status == .forbidden)
        #expect(try await served.answer(body: "{", principal: ada).status == .badRequest)
        #expect(try await served.answer(body: "{").status == .unauthorized)
    }

    @Test func `a message is validated before a closure decides about it, as at a client that validates it`()
        async throws
    {
        let served = try Served(Nonsense.authorized(.when { _, principal in principal.scopes.contains("books") }))
        #expect(try await served.answer(body: #"{"copies": 0}"#, principal: bob).status == .unprocessableContent)
        #expect(try await served.answer(body: #"{"copies": 1}"#, principal: bob).status == .forbidden)
        #expect(try await served.answer(body: #"{"copies": 0}"#).status == .unauthorized)
    }
}
