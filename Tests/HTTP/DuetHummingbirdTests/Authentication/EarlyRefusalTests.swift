import Duet
import DuetHTTP
import DuetHummingbird
import Foundation
import Hummingbird
import TestSupport
import Testing

/// Requests that are refused for their credentials, before their body is read.
@Suite(.timeLimit(.minutes(5)))
struct EarlyRefusalTests {
    private struct Keep: HTTPCommand, BodyCommand {
        static let route: CommandRoute<Self> = .put("things/{id}").bodyProperty("data")
        let id: Int
        let data: Data
        var body: HTTPBytes { HTTPBytes(data, mediaType: "application/octet-stream") }
    }

    private struct KeepHandler: CommandHandler {
        func handle(_ command: Keep) {}
    }

    private static let lists = [
        "the message's": MessageAPI("own") { Keep.authorized(.scope("keep")) },
        "the list's": MessageAPI("inherited", authorized: .scope("keep")) { Keep.self },
        "a principal's": MessageAPI("principal", authorized: .principal) { Keep.self },
        "a closure's": MessageAPI("closure") { Keep.authorized(.when { $1.scopes.contains("keep") && $0.id == 1 }) },
    ]

    @Test(arguments: [
        ("the message's", "", "401"), ("the message's", "reader", "403"), ("the list's", "", "401"),
        ("the list's", "reader", "403"), ("a principal's", "", "401"), ("a principal's", "reader", "100"),
        ("a closure's", "", "401"), ("a closure's", "reader", "100"),
    ])
    func `a body is read only for a sender whom the rule does not refuse`(rule: String, token: String, status: String)
        async throws
    {
        let router = Router()
        try router.mount(#require(Self.lists[rule]), StandardDispatcher { KeepHandler() }, authenticator: Tokens())
        let answer = try await withServer(router.buildResponder()) { port in
            try await RawConnection.open(port) { connection in
                let credentials = token.isEmpty ? "" : "Authorization: Bearer \(token)\r\n"
                try await connection.send(
                    "PUT /things/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\nExpect: 100-continue\r\n"
                        + "\(credentials)\r\n"
                )
                return await connection.read(until: "\r\n\r\n")
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    }
}
