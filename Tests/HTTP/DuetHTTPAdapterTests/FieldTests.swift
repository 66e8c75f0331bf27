import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FieldTests {
    private let name: HTTPField.Name

    init() throws {
        name = try #require(HTTPField.Name("X-Odd_name.1"))
    }

    @Test(arguments: Adapter.allCases, ["ü", "日本", "a\tb", "\"quoted, with a comma\"", "~!#$%&'*+-.^_`|"])
    func `the value of a field is sent and received unchanged`(adapter: Adapter, value: String) async throws {
        try await adapter.withServer({
            [.answer(fields: "X-Odd_name.1: \($0.fields["x-odd_name.1"] ?? "")\r\n")]
        }) { server, client in
            let (response, _) = try await client.data(for: server.request(fields: [name: value]))
            #expect(server.log.entry.requests.first?.fields["x-odd_name.1"] == value)
            #expect(response.headerFields[name] == value)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `an empty field is sent and received`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer(fields: "X-Odd_name.1:\r\n")] }) { server, client in
            let (response, _) = try await client.data(for: server.request(fields: [name: ""]))
            #expect(server.log.entry.requests.first?.fields["x-odd_name.1"] == "")
            #expect(response.headerFields[name] == "")
        }
    }

    @Test(arguments: Adapter.allCases)
    func `repeated fields reach the server, as one or as several`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            var request = server.request()
            for value in ["1", "2", "3"] { request.headerFields.append(HTTPField(name: name, value: value)) }
            _ = try await client.data(for: request)
            #expect(server.log.entry.requests.first?.fields["x-odd_name.1"] == "1, 2, 3")
        }
    }

    @Test(arguments: Adapter.allCases)
    func `several Set-Cookie fields arrive in order, and no cookie is returned`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in
            [.answer(fields: "Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\n")]
        }) { server, client in
            let (response, _) = try await client.data(for: server.request())
            #expect(response.headerFields[values: .setCookie].joined(separator: ", ") == "a=1; Path=/, b=2")
            _ = try await client.data(for: server.request())
            #expect(server.log.entry.requests.last?.fields["cookie"] == nil)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `a response with a field that is not UTF-8 is a response`(adapter: Adapter) async throws {
        let head =
            Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Odd_name.1: ".utf8) + [0xFC] + Array("\r\n\r\n".utf8)
        try await adapter.withServer({ _ in [.bytes(head), .text("end")] }) { server, client in
            try await withKnownIssue("URLSession on Linux refuses a field that is not UTF-8") {
                let (response, data) = try await client.data(for: server.request())
                #expect(response.headerFields[name] != nil)
                #expect(data == Data("end".utf8))
            } when: {
                adapter.isURLSessionOnLinux
            }
        }
    }

    // For URLSession on Linux, see LinuxLimitTests.
    @Test(arguments: Adapter.allCases.filter { !$0.isURLSessionOnLinux })
    func `trailer fields are skipped`(adapter: Adapter) async throws {
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nend\r\n0\r\nX-Sum: 1\r\n\r\n"
        try await adapter.withServer({ _ in [.text(answer)] }) { server, client in
            let (response, data) = try await client.data(for: server.request())
            #expect(response.status == .ok)
            #expect(data == Data("end".utf8))
        }
    }
}
