package import Duet
package import Foundation

/// An event of a server (HTML standard, section 9.2, "Server-sent events").
package struct ServerSentEvent: Hashable, Sendable {
    package static let mediaType = "text/event-stream"

    /// Identifies the event, so that a client that connects again can name the last one it received.
    package var id: String?

    /// The data, without the line break at its end; nil if only the version is new.
    package var data: Data?

    /// The version of the value in the cache of the server, which is a field that other clients ignore.
    package var version: CacheVersion?

    package init(id: String? = nil, data: Data?, version: CacheVersion? = nil) {
        self.id = id
        self.data = data
        self.version = version
    }

    /// The event as it is sent, on one line for each line of the data, whether that ends with CR, LF or both.
    ///
    /// An identifier with a line break or a null byte is not sent, because it would end the field or be ignored.
    package var encoded: Data {
        var text = version.map { Self.field(of: $0) } ?? Data()
        if let id, !id.utf8.contains(where: { [0, UInt8.lineFeed, .carriageReturn].contains($0) }) {
            text += Data("id: \(id)\n".utf8)
        }
        var rest = (data ?? Data())[...]
        while data != nil {
            let line = rest.prefix { $0 != .lineFeed && $0 != .carriageReturn }
            text += Data("data: ".utf8) + line + Data("\n".utf8)
            rest = rest.dropFirst(line.count)
            guard let end = rest.popFirst() else { break }
            if end == .carriageReturn, rest.first == .lineFeed { rest.removeFirst() }
        }
        return text + Data("\n".utf8)
    }

    package static let end = Data("\n".utf8)

    /// The field of a version, before the other fields of an event.
    package static func field(of version: CacheVersion) -> Data { Data("version: \(version.text)\n".utf8) }

    /// A comment, which keeps the connection open and means nothing.
    package static let heartbeat = Data(":\n\n".utf8)

    /// Tells the client how long to wait before it connects again.
    package static func retry(after delay: Duration) -> Data {
        Data("retry: \(Int(max(.zero, delay) / .milliseconds(1)))\n\n".utf8)
    }
}

/// Reads events from the bytes of a stream.
///
/// Events of other types, such as the pings of a gateway, are left out.
package struct EventParser: Sendable {
    package struct EventTooLarge: Error {}

    /// The shortest and the longest delay that a server can ask for.
    package static let delays = Duration.milliseconds(250) ... .seconds(30)

    /// The longest identifier that is kept, in bytes, because a client sends it back.
    package static let maximumIDSize = 1_024

    /// The delay that the server asks for before a client connects again, within ``delays``.
    package private(set) var retry: Duration?

    /// The identifier of the last event of any type, also without data, which a client sends when it connects again.
    package private(set) var lastID: String?

    /// The same, before the end of its event.
    private var id: String?

    private let limit: Int
    private let eventTypes: Set<String>
    private var line = Data()
    private var data = Data()
    private var hasData = false
    private var version: CacheVersion?
    /// The type of the event; nil for `message`.
    private var type: Data?
    private var isAfterReturn = false
    private var isAtStart = true

    /// - Parameters:
    ///   - limit: The largest number of bytes of an event.
    ///   - eventTypes: The types of the events that are returned; `message` is that of an event without one.
    package init(limit: Int, lastID: String? = nil, eventTypes: Set<String> = ["message"]) {
        (self.limit, self.eventTypes) = (limit, eventTypes)
        (self.lastID, id) = (lastID, lastID)
    }

    /// Reads a piece of the stream, and returns the events that it completes.
    ///
    /// - Throws: ``EventTooLarge``.
    package mutating func read(_ piece: Data) throws(EventTooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in piece {
            let isReturn = byte == .carriageReturn
            defer { isAfterReturn = isReturn }
            guard isReturn || byte == .lineFeed else {
                guard line.count + data.count < limit else { throw EventTooLarge() }
                line.append(byte)
                continue
            }
            // A return and a line feed are one end of a line.
            if !isReturn, isAfterReturn { continue }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isAtStart = false
        defer { line = Data() }
        guard !line.isEmpty else {
            lastID = id
            defer { (data, hasData, version, type) = (Data(), false, nil, nil) }
            let type = type ?? Data("message".utf8)
            guard hasData || version != nil, eventTypes.contains(where: { type.elementsEqual($0.utf8) }) else {
                return nil
            }
            return ServerSentEvent(id: lastID, data: hasData ? data : nil, version: version)
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        let name = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? Data()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // Bytes are compared, because comparing long foreign texts can take very long.
        if name.elementsEqual("data".utf8) {
            if hasData { data.append(.lineFeed) }
            data += value
            hasData = true
        } else if name.elementsEqual("id".utf8), !value.contains(0), value.count <= Self.maximumIDSize {
            id = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("event".utf8) {
            type = value.isEmpty ? nil : value
        } else if name.elementsEqual("version".utf8), value.count <= 64 {
            version = CacheVersion(String(decoding: value, as: UTF8.self))
        } else if name.elementsEqual("retry".utf8), !value.isEmpty, value.count <= 9,
            value.allSatisfy(FieldSyntax.isDigit), let delay = Int(String(decoding: value, as: UTF8.self))
        {
            retry = min(max(.milliseconds(delay), Self.delays.lowerBound), Self.delays.upperBound)
        }
        return nil
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
