import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 3.2, updating stored header fields")
struct UpdatingTests {
    private func updated(_ stored: [String], _ answer: [String], status: Int = 200, request: [String] = []) throws
        -> HTTPFields
    {
        let stored = try Exchange(
            .get,
            "/",
            request,
            status: status,
            ["Cache-Control: max-age=2", "Date: @0"] + stored
        ).stored()
        let answer = Exchange(status: 304, answer).response
        let updated = HTTPCachePolicy.private.updated(stored, by: answer, at: Exchange.times(5))
        return try #require(updated).response.headerFields
    }

    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func `fields are added up to 256 KiB, and beyond that do not grow`(more: Int, isUpdated: Bool) throws {
        let size = { (fields: HTTPFields) in
            fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
        }
        for stored in [["ETag: \"1\""], ["a: " + String(repeating: "a", count: 300_000)]] {
            let stored = try Exchange(["Cache-Control: max-age=2", "Date: @0"] + stored).stored()
            let head = stored.response.headerFields
            let room = max(256 * 1024, size(head)) - size(head)
            // A new date takes no more room than the one it replaces.
            var lines = ["Date: @1"]
            if room > 0 { lines.append("b: " + String(repeating: "b", count: room - 65 + more)) }
            if room == 0, more > 0 { lines.append("b:") }
            let answer = Exchange(status: 304, lines).response
            let new = HTTPCachePolicy.private.updated(stored, by: answer, at: Exchange.times(5))
            #expect((new != nil) == isUpdated)
        }
    }

    @Test(arguments: [
        "Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo", "Cache-Control", "Content-Encoding",
        "Content-Location", "Content-MD5",
        "Content-Range", "Content-Security-Policy", "Content-Type", "Clear-Site-Data", "ETag", "Expires",
        "Public-Key-Pins", "Set-Cookie",
        "X-Frame-Options", "X-XSS-Protection", "Date", "Last-Modified", "Vary", "Age",
    ])
    func `fields take the newer value`(name: String) throws {
        let fields = try updated(["\(name): old", "\(name): older", "b: kept"], ["\(name): new", "\(name): newer"])
        #expect(fields[values: try #require(HTTPField.Name(name))] == ["new", "newer"])
        #expect(fields[.b] == "kept")
    }

    @Test func `section 5.2.2.4: fields that no-cache names stay only if the validation sends them again`() throws {
        let stored = ["Cache-Control: no-cache=\"a, b\"", "a: 1", "b: 2", "c: 3"]
        let fields = try updated(stored, ["b: new"])
        #expect(fields[.a] == nil)
        #expect(fields[.b] == "new")
        #expect(fields[try #require(HTTPField.Name("c"))] == "3")
        // The directive applies even if only the newer response has it.
        #expect(try !updated(["a: 1"], ["Cache-Control: max-age=2, no-cache=\"a\""]).contains(.a))
    }

    @Test(arguments: ["Content-Length: 10"])
    func `the length is not updated`(line: String) throws {
        #expect(try updated([line], ["Content-Length: 99"])[values: .contentLength] == ["10"])
    }

    @Test(arguments: [
        "Connection: a", "Keep-Alive: x", "TE: x", "Transfer-Encoding: x", "Upgrade: x", "Proxy-Authenticate: x",
    ])
    func `fields of the connection do not replace stored ones`(line: String) throws {
        let name = try #require(HTTPField.Name(String(line.prefix { $0 != ":" })))
        let fields = try updated(["a: kept"], [line, "a: new"])
        #expect(!fields.contains(name))
        #expect(fields[.a] == (name == .connection ? "kept" : "new"))
    }

    @Test(arguments: [
        (["Cache-Control: max-age=2, private=\"a\""], ["a: new"]),
        (["CDN-Cache-Control: max-age=2, private=\"a\""], ["a: new"]),
        (["Cache-Control: max-age=2"], ["Cache-Control: max-age=2, private=\"a\"", "a: new"]),
    ])
    func `section 5.2.2.7: in a shared cache, private fields do not replace stored ones`(
        lines: [String],
        answer: [String]
    )
        throws
    {
        let stored = try Exchange(["Date: @0", "b: kept"] + lines).stored(.shared)
        for status in [200, 304] {
            let answer = Exchange(status: status, answer + ["b: new"]).response
            let updated = HTTPCachePolicy.shared.updated(stored, by: answer, at: Exchange.times(5))
            let fields = try #require(updated).response.headerFields
            #expect(!fields.contains(.a))
            #expect(fields[.b] == "new")
        }
    }

    @Test func `the range of a stored part is not updated`() throws {
        let fields = try updated(
            ["Content-Range: bytes 0-4/10"],
            ["Content-Range: bytes 5-9/10"],
            status: 206,
            request: ["Range: bytes=0-4"]
        )
        #expect(fields[.contentRange] == "bytes 0-4/10")
    }

    @Test func `an update without Age and Date has the time of its receipt`() throws {
        let fields = try updated(["Age: 100"], [])
        #expect(!fields.contains(.age))
        #expect(fields[.date] == "Tue, 14 Nov 2023 22:13:25 GMT")
    }
}
