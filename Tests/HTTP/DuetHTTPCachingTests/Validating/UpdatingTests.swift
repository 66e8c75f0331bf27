import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 3.2, updating stored header fields")
struct UpdatingTests {
    private func updated(_ stored: [String], _ answer: [String]) throws -> HTTPFields {
        let stored = try Exchange(["Cache-Control: max-age=2", "Date: @0"] + stored).stored()
        let answer = Exchange(status: 304, answer).response
        let updated = HTTPCachePolicy().updated(stored, by: answer, at: Exchange.times(5))
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
            let new = HTTPCachePolicy().updated(stored, by: answer, at: Exchange.times(5))
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

    @Test func `an update without Age and Date has the time of its receipt`() throws {
        let fields = try updated(["Age: 100"], [])
        #expect(!fields.contains(.age))
        #expect(fields[.date] == "Tue, 14 Nov 2023 22:13:25 GMT")
    }
}
