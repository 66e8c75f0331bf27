import Duet
import DuetHTTP
import Foundation
import Testing

@Suite struct EventParserTests {
    private func events(_ pieces: String..., limit: Int = 1_000) throws -> [ServerSentEvent] {
        var parser = EventParser(limit: limit)
        return try pieces.flatMap { try parser.read(Data($0.utf8)) }
    }

    private func event(_ data: String, id: String? = nil) -> ServerSentEvent {
        ServerSentEvent(id: id, data: Data(data.utf8))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `lines end with a return, a line feed, or both`(end: String) throws {
        #expect(
            try events("data: a\(end)\(end)data: b\(end)data: c\(end)\(end)data: d") == [event("a"), event("b\nc")]
        )
    }

    @Test func `events arrive in any pieces`() throws {
        let text =
            "\u{FEFF}: comment\r\nid: 1\r\ndata:{\"a\": 1}\r\n\r\ndata\nretry: 20\nunknown: 3\n\nid\ndata:  x\n\n"
        let expected = [event(#"{"a": 1}"#, id: "1"), event("", id: "1"), event(" x", id: "")]
        #expect(try events(text) == expected)
        var parser = EventParser(limit: 100)
        #expect(try text.utf8.flatMap { try parser.read(Data([$0])) } == expected)
        #expect(parser.retry == .milliseconds(250))
        #expect(parser.lastID == "")
    }

    @Test(arguments: ["id: 9", "id: 9\ndata: {}\nevent: change", "event: ping\nid: 9"])
    func `an event without a value leaves its identifier, when it has ended`(fields: String) throws {
        var parser = EventParser(limit: 100, lastID: "7")
        #expect(try parser.read(Data("\(fields)\n".utf8)).isEmpty)
        #expect(parser.lastID == "7")
        #expect(try parser.read(Data("\ndata: 1\n\n".utf8)) == [event("1", id: "9")])
        #expect(parser.lastID == "9")
    }

    @Test func `the events of some types are values`() throws {
        let text = "event: update\ndata: 1\n\ndata: 2\n\nevent: ping\ndata: 3\n\nevent: message\ndata: 4\n\n"
        for (types, values) in [
            (["update"], ["1"]), (["message"], ["2", "4"]), (["update", "message"], ["1", "2", "4"]),
        ] {
            var parser = EventParser(limit: 100, eventTypes: Set(types))
            #expect(try parser.read(Data(text.utf8)) == values.map { event($0) })
        }
    }

    @Test(arguments: ["", "-1", "1s", "9999999999"])
    func `an invalid delay is ignored`(delay: String) throws {
        var parser = EventParser(limit: 100)
        _ = try parser.read(Data("retry: \(delay)\n".utf8))
        #expect(parser.retry == nil)
    }

    @Test(arguments: [
        (0, 250), (249, 250), (250, 250), (251, 251), (29_999, 29_999), (30_000, 30_000), (30_001, 30_000),
    ])
    func `a delay is at least 250 milliseconds and at most 30 seconds`(sent: Int, used: Int) throws {
        var parser = EventParser(limit: 100)
        _ = try parser.read(Data("retry: \(sent)\n".utf8))
        #expect(parser.retry == .milliseconds(used))
    }

    @Test(arguments: [(1_023, true), (1_024, true), (1_025, false)])
    func `an identifier of more than 1,024 bytes is ignored`(size: Int, isKept: Bool) throws {
        let id = String(repeating: "a", count: size)
        #expect(try events("id: \(id)\ndata: 1\n\n", limit: 2_000) == [event("1", id: isKept ? id : nil)])
    }

    @Test(arguments: ["\r", "\n", "\r\n"])
    func `a line break in the data begins no other field`(end: String) throws {
        let written = event("hello\(end)id: forged\(end)retry: 86400000\(end)\(end)data: forged\(end)", id: "7")
        var parser = EventParser(limit: 1_000)
        let read = try parser.read(written.encoded)
        #expect(read == [event("hello\nid: forged\nretry: 86400000\n\ndata: forged\n", id: "7")])
        #expect(parser.retry == nil)
    }

    @Test(arguments: ["a\nb", "a\rb", "a\0b"])
    func `an identifier that cannot be one is not sent`(id: String) throws {
        #expect(try events(String(decoding: event("1", id: id).encoded, as: UTF8.self)) == [event("1")])
    }

    @Test func `a name with many accents is no field, and takes no long time`() throws {
        let name = "data" + String(repeating: "\u{301}\u{316}", count: 500_000)
        // Compared as text, which takes quadratic time for accents, this would take many minutes.
        let read = try events("\(name): 1\ndata: 2\n\n", limit: 2_500_000)
        #expect(read == [event("2")])
    }

    @Test func `an identifier with a null byte is ignored`() throws {
        #expect(try events("id: a\0b\ndata: 1\n\n") == [event("1")])
    }

    @Test func `an event that is too large is refused`() throws {
        #expect(throws: EventParser.EventTooLarge.self) { try events("data: 12345678901234567890\n\n", limit: 20) }
        #expect(throws: EventParser.EventTooLarge.self) {
            try events("data: 12345\n", "data: 12345\n", "data: 12345\n", "data: 12345\n", limit: 20)
        }
    }

    @Test(arguments: ["data: 1\nversion: ff-7\n", "version: ff-7\ndata: 1\n"])
    func `a version belongs to its event`(fields: String) throws {
        let version = try #require(CacheVersion("ff-7"))
        #expect(version == CacheVersion(cache: 255, number: 7))
        #expect(
            try events("version: ff-8\n\n\n\(fields)\ndata: 2\n\n") == [
                ServerSentEvent(data: nil, version: CacheVersion("ff-8")),
                ServerSentEvent(data: Data("1".utf8), version: version), event("2"),
            ]
        )
        #expect(ServerSentEvent.field(of: version) == Data("version: ff-7\n".utf8))
    }

    @Test(arguments: [
        "", "-", "7", "ff-", "-7", "ff--7", "fg-7", "ff-7a", "10000000000000000-1", "1-9223372036854775808",
        String(repeating: "0", count: 40) + "-1",
    ])
    func `an invalid version is none`(version: String) throws {
        #expect(try events("version: \(version)\ndata: 1\n\nversion: \(version)\n\n") == [event("1")])
    }

    @Test func `only events without a type, or of the type message, are read`() throws {
        let text =
            "event: ping\ndata: {}\n\ndata: 1\n\nid: 7\nevent: gone\ndata: 2\n\nevent: message\ndata: 3\n\nevent\ndata: 4\n\n"
        #expect(try events(text) == [event("1"), event("3", id: "7"), event("4", id: "7")])
    }

    @Test func `an event is read back as it was written`() throws {
        let written = event("a\nb\n\nc", id: "7")
        #expect(try events(String(decoding: written.encoded + ServerSentEvent.heartbeat, as: UTF8.self)) == [written])
        var parser = EventParser(limit: 100)
        _ = try parser.read(ServerSentEvent.retry(after: .milliseconds(1_500)))
        #expect(parser.retry == .milliseconds(1_500))
    }
}
