import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct ServedProblemTests {
    private let order: Served

    init() throws {
        order = try Served(.open(OrderBook.self).inherit(nil, [ShopClosed.self]))
    }

    @Test func `the response with a declared problem has its properties beside the members of RFC 9457`() async throws {
        let answer = try await order.answer(["id": "404"], body: #"{"copies": 1}"#)
        #expect(answer.status == .conflict)
        #expect(
            try answer.problem()
                == ProblemDetails(
                    type: OutOfStock.problemType,
                    title: "Conflict",
                    status: 409,
                    detail: "There are not enough of book \(Int64.max).",
                    extensions: ["bookID": .integer(.max), "nextDelivery": .string("1970-01-01T00:00:00.25Z")]
                )
        )
    }

    @Test func `properties of a problem that are not encoded are not sent`() async throws {
        let answer = try await answer(throwing: Discreet(id: 7))
        #expect(try answer.problem().extensions == ["id": .integer(7)])
        #expect(try answer.problem().detail == nil)
        #expect(!answer.text.contains("hunter2"))
    }

    @Test func `the description of a problem is its detail`() async throws {
        #expect(try await answer(throwing: Described()).problem().detail == "It says so.")
    }

    @Test func `a problem that is an enum is sent with its case`() async throws {
        let problem = try await order.answer(["id": "405"], body: #"{"copies": 1}"#).problem()
        #expect(problem.extensions == ["tooMany": .object(["limit": .integer(3)])])
    }

    @Test func `a problem that the API declares is sent for every message`() async throws {
        let answer = try await order.answer(["id": "406"], body: #"{"copies": 1}"#)
        #expect(answer.status == .serviceUnavailable)
        #expect(try answer.problem().type == ShopClosed.problemType)
    }

    @Test func `an undeclared problem is sent, and the log names the missing declaration`()
        async throws
    {
        let answer = try await order.answer(["id": "500"], body: #"{"copies": 1}"#)
        #expect(answer.status == Undeclared().status)
        #expect(try answer.problem().type == Undeclared.problemType)
        #expect(
            answer.note == """
                DuetHTTPTests.OrderBook does not declare Undeclared, so that its clients receive an HTTPFailure. Add \
                .throwing(Undeclared.self) to its route, or the error to the list.
                """
        )
    }

    @Test func `the log names a missing declaration once`() async throws {
        #expect(try await order.answer(["id": "500"], body: #"{"copies": 1}"#).note != nil)
        #expect(try await order.answer(["id": "500"], body: #"{"copies": 1}"#).note == nil)
    }

    @Test func `a declared problem needs no note`() async throws {
        #expect(try await order.answer(["id": "404"], body: #"{"copies": 1}"#).note == nil)
    }

    @Test func `an undeclared problem of another server is not sent to the client, and a declared one is`()
        async throws
    {
        let other = try Shop.dispatcher()
        let otherAPI = try HTTPAPI { OrderBook.self }
        let url = try BaseURL("https://other.example")
        func answer(declaring problems: [any HTTPProblem.Type]) async throws -> ServedResponse {
            let status = SuccessStatus(of: RemoveBook.self) { _, _ in
                try await HTTPDispatcher(baseURL: url, client: RouterClient(api: otherAPI, dispatcher: other)).dispatch(
                    OrderBook(id: 404)
                )
                return .noContent
            }
            return try await Served(.open(RemoveBook.self).inherit(nil, problems), status: status)
                .answer(["id": "1"])
        }
        let error = await #expect(throws: (any Error).self) { try await answer(declaring: []) }
        #expect(
            error.map { "\($0)" }?.hasPrefix(
                """
                OutOfStock was received from another server, and DuetHTTPTests.RemoveBook does not declare it. To send \
                it on, add .throwing(OutOfStock.self) to its route.
                """
            ) == true
        )
        let sent = try await answer(declaring: [OutOfStock.self])
        #expect(sent.status == .conflict)
        #expect(sent.note == nil)
    }

    @Test func `a fault of a request that a handler made is not sent to the client`() async throws {
        await #expect(throws: HTTPMessageError.self) { try await order.answer(["id": "502"], body: #"{"copies": 1}"#) }
    }

    @Test func `a handler that takes too long is a response without internal names`() async throws {
        let answer = try await order.answer(["id": "504"], body: #"{"copies": 1}"#)
        #expect(answer.status == .gatewayTimeout)
        #expect(!answer.text.contains("hunter2"))
    }

    @Test func `a problem without an error status cannot be sent`() async throws {
        let error = await #expect(throws: UnsendableProblem.self) { try await answer(throwing: Cheerful()) }
        #expect(error?.reason == "its status is 200, but an error's is 400 to 599")
    }

    @Test func `a problem with a property named like a member of RFC 9457 cannot be sent`() async throws {
        let error = await #expect(throws: UnsendableProblem.self) { try await answer(throwing: Secretive()) }
        #expect(error?.reason == "its property title has the name of a member of RFC 9457; rename it")
    }

    @Test(
        arguments: [
            (
                [Impostor.self, OutOfStock.self],
                "Impostor and OutOfStock both have the problemType \(OutOfStock.problemType)."
            ),
            ([Nameless.self], "Nameless needs its own problemType, not “about:blank”."),
            (
                [Titled.self],
                "Titled has a property that is encoded as title, a member that RFC 9457 defines."
            ),
            ([Raw.self], "Raw is not encoded as properties with names."),
            (
                [Unconformed.self, Unconformed.self],
                "The list declares Unconformed, which no HTTP response can carry: conform it to HTTPProblem."
            ),
        ] as [([any DeclaredError.Type], String)]
    )
    func `invalid problems are reported when the API is created`(
        problems: [any DeclaredError.Type],
        sentence: String
    ) throws {
        let error = #expect(throws: InvalidMessageAPI.self) {
            _ = try HTTPAPI { MessageAPI.Entry.open(FindOffer.self).inherit(nil, problems) }
        }
        #expect(error?.faults.count == 1)
        #expect(error?.description.hasPrefix(sentence) == true, "\(String(describing: error))")
    }

    @Test func `many may declare one type, and two types with one identifier are refused`() throws {
        _ = try HTTPAPI(MessageAPI("shop", throwing: OutOfStock.self, OutOfStock.self) { OrderBook.authorized(.open) })
        let error = #expect(throws: InvalidMessageAPI.self) {
            _ = try HTTPAPI(MessageAPI("shop", throwing: Impostor.self) { OrderBook.authorized(.open) })
        }
        let name = OutOfStock.problemType
        #expect(error?.faults == ["Impostor and OutOfStock both have the problemType \(name). Give each its own."])
    }

    private func answer(throwing problem: some HTTPProblem) async throws -> ServedResponse {
        let status = SuccessStatus(of: OrderBook.self) { _, _ in throw problem }
        let entry = MessageAPI.Entry.open(OrderBook.self).inherit(nil, [type(of: problem)])
        return try await Served(entry, status: status).answer(["id": "1"], body: #"{"copies": 1}"#)
    }

    private struct Unconformed: DeclaredError {}

    private struct Impostor: HTTPProblem {
        static let problemType = OutOfStock.problemType
        var status: HTTPResponse.Status { .conflict }
    }

    private struct Nameless: HTTPProblem {
        static let problemType = "about:blank"
        var status: HTTPResponse.Status { .conflict }
    }

    private struct Titled: HTTPProblem {
        static let problemType = "urn:titled"
        var title = "T"
        var status: HTTPResponse.Status { .conflict }
    }

    private struct Discreet: HTTPProblem {
        static let problemType = "urn:discreet"
        let id: Int
        var secret = "hunter2"
        var status: HTTPResponse.Status { .conflict }

        enum CodingKeys: CodingKey { case id }
    }

    private struct Described: HTTPProblem, CustomStringConvertible {
        static let problemType = "urn:described"
        var status: HTTPResponse.Status { .conflict }
        var description: String { "It says so." }
    }

    private enum Raw: String, HTTPProblem {
        case raw

        static let problemType = "urn:raw"
        var status: HTTPResponse.Status { .conflict }
    }

    private struct Cheerful: HTTPProblem {
        static let problemType = "urn:cheerful"
        var status: HTTPResponse.Status { .ok }
    }

    /// Encodes a member that it does not decode, so that only an instance reveals it.
    private struct Secretive: HTTPProblem {
        static let problemType = "urn:secretive"
        var status: HTTPResponse.Status { .conflict }

        init() {}

        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            try ["title": "T"].encode(to: encoder)
        }
    }
}
