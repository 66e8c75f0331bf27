import FeedFeature
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// Forms as bytes that anyone can send.
struct FormTests {
    private let urlEncoded = "application/x-www-form-urlencoded"
    private let multipart = "multipart/form-data; boundary=B"

    private func form(_ body: String, _ mediaType: String? = nil) throws -> Form {
        try Form(Data(body.utf8), mediaType: mediaType ?? urlEncoded)
    }

    private func status(_ body: String, _ mediaType: String? = nil) throws -> HTTPResponse.Status {
        do {
            _ = try form(body, mediaType)
            return .ok
        } catch let error as HTTPError {
            return error.status
        }
    }

    @Test(arguments: [
        ("m=a+b%20c%2B", "a b c+"), ("m=%", "%"), ("m=%4", "%4"), ("m=%4g", "%4g"), ("m=%C3%A9", "é"), ("m=é", "é"),
        ("m=a%0D%0Ab", "a\nb"), ("m=a%0D%0D%0A%0Ab%0D", "a\n\n\nb\n"), ("m=%FF", "\u{FFFD}"), ("m=1&m=2", "1"),
        ("m", ""), ("&&m=1", "1"), ("m=a=b", "a=b"),
        ("%6D=1", "1"), ("", ""),
    ])
    func `texts are decoded as browsers encode them`(_ body: String, _ text: String) throws {
        #expect(try form(body)["m"] == text)
        #expect(Form(query: body)["m"] == text)
    }

    @Test(arguments: [(Form.limit - 1, 200), (Form.limit, 200), (Form.limit + 1, 413)])
    func `a form without a file has a limit`(_ size: Int, _ code: Int) throws {
        let filler = String(repeating: "x", count: size - 2)
        #expect(try status("m=" + filler).code == code)
    }

    @Test(arguments: [(65_535, 200), (65_536, 200), (65_537, 413)])
    func `a form has at most 64 KiB beside its files`(_ size: Int, _ code: Int) throws {
        #expect(try status("m=" + String(repeating: "x", count: size - 2)).code == code)
        let file = String(repeating: "f", count: 100_000)
        let head = #"--B\#r\#nContent-Disposition: form-data; name="file"; filename="a"\#r\#n\#r\#n"#
        for file in ["", head + file + "\r\n"] {
            let rest = part(name: "m").utf8.count + (file.isEmpty ? 0 : head.utf8.count + 2)
            let body = file + part(name: "m", String(repeating: "x", count: size - rest))
            #expect(try status(body, multipart).code == code)
        }
    }

    @Test(arguments: [(65_535, false), (65_536, false), (65_537, true)])
    func `each command of the page takes at most 64 KiB`(_ size: Int, _ isRefused: Bool) async throws {
        let site = Site()
        let address = "/images/\(UUID())"
        let paths =
            [
                "/comments", "/comments/\(UUID())/remove", "/edit", "/remove",
            ].map { address + $0 } + ["/publish", "/sign-in", "/sign-out"]
        for path in paths {
            let body = "m=" + String(repeating: "x", count: size - 2)
            let answer = try await site.post(
                path,
                body: ByteBuffer(string: body),
                mediaType: urlEncoded,
                cookie: "session=feed_secret"
            )
            #expect((answer.status == .contentTooLarge) == isRefused, "\(path)")

            // Nothing follows the announcement.
            var headers: HTTPFields = [.contentType: urlEncoded, .contentLength: "\(size)"]
            headers[.cookie] = "session=feed_secret"
            headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
            let early = try await site.application().test(.router) { [headers] client in
                try await client.execute(uri: path, method: .post, headers: headers, body: nil) { $0.status }
            }
            #expect(early == (isRefused ? .contentTooLarge : .badRequest), "\(path)")
        }
        #expect(isRefused == !site.messages.contains { if case .remove = $0 { true } else { false } })
    }

    @Test(arguments: [(63, 200), (64, 200), (65, 400)])
    func `a name may have 64 bytes of ASCII`(_ size: Int, _ code: Int) throws {
        let name = String(repeating: "x", count: size)
        #expect(try status("\(name)=1").code == code)
        #expect(try status(part(name: name), multipart).code == code)
        #expect(try status("\(name.dropLast(2))é=1").code == 400)
    }

    @Test(arguments: [(31, 200), (32, 200), (33, 400)])
    func `a form may have 32 fields`(_ count: Int, _ code: Int) throws {
        #expect(try status((1...count).map { "m\($0)=1" }.joined(separator: "&")).code == code)
    }

    @Test(arguments: [(30, 200), (31, 400), (2_000, 400)])
    func `a text may have thirty combining characters in a row`(_ count: Int, _ code: Int) throws {
        let text = "a" + String(repeating: "\u{301}", count: count)
        #expect(try status("m=\(text)").code == code)
        #expect(try status("m=a" + String(repeating: "%CC%81", count: count)).code == code)
        #expect(try status(part(name: "m", text), multipart).code == code)
        #expect(Form(query: "n=1&m=\(text)")["m"] == (code == 200 ? text : ""))
    }

    @Test(arguments: [
        "--B\r\n--B--\r\n", "--B\r\n\r\n--B--\r\n", "--B\r\n--B\r\n--B--", "\r\n--B\r\n--B--", "--B", "--B\r\n", "",
        "\r",
        "--B\r\nContent-Disposition: form-data; name=\"m\"\r\n\r\n--B--",
    ])
    func `delimiters without a part between them are a bad request`(_ body: String) async throws {
        #expect(throws: HTTPError.self) { try form(body, multipart) }
        for path in ["/sign-in", "/images/\(UUID())/comments", "/publish"] {
            let answer = try await Site().post(
                path,
                body: ByteBuffer(string: body),
                mediaType: multipart,
                cookie: "session=feed_secret"
            )
            #expect(answer.status == .badRequest, "\(path)")
        }
    }

    @Test func `an empty part is an empty text or file`() throws {
        let body =
            part(name: "m", end: "") + "--B\r\ncontent-disposition:form-data;name=file;filename=\"\"\r\n\r\n\r\n--B--"
        let form = try form("preamble\r\n" + body, multipart)
        #expect(form["m"].isEmpty)
        #expect(form.file("file").isEmpty)
    }

    @Test func `quoted names may contain separators`() throws {
        let body = "--B\r\nContent-Disposition: form-data; name=\"a;b=c\"\r\n\r\n1\r\n--B--"
        #expect(try form(body, #"Multipart/Form-Data; charset=x; boundary="B""#)["a;b=c"] == "1")
    }

    @Test(arguments: ["text/plain", "", "multipart/mixed; boundary=B", String(repeating: "x", count: 16_000)])
    func `other encodings are not supported`(_ mediaType: String) throws {
        #expect(try status("m=1", mediaType) == .unsupportedMediaType)
    }

    @Test func `a file is a part of the body, and shares its memory`() throws {
        let file = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        let head = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
        let form = try Form(Data(head.utf8) + file + Data("\r\n--B--".utf8), mediaType: multipart)
        #expect(form.file("file") == file)
        #expect(form.file("file").startIndex == head.utf8.count)
    }

    private func part(name: String, _ text: String = "", end: String = "--B--") -> String {
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n\(end)"
    }
}
