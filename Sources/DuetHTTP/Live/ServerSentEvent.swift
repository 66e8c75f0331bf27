package import Foundation

/// An event of a server (HTML standard, section 9.2, "Server-sent events").
package struct ServerSentEvent: Hashable, Sendable {
    /// The media type of a stream of events.
    package static let mediaType = "text/event-stream"

    /// Identifies the event, so that a client that connects again can name the last one it received.
    package var id: String?

    /// The data, without the line break at its end.
    package var data: Data

    package init(id: String? = nil, data: Data) {
        self.id = id
        self.data = data
    }

    /// The event as it is sent.
    package var encoded: Data {
        var text = Data()
        if let id { text += Data("id: \(id)\n".utf8) }
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            text += Data("data: ".utf8) + line + Data("\n".utf8)
        }
        return text + Data("\n".utf8)
    }

    /// A comment, which keeps the connection open and means nothing.
    package static let heartbeat = Data(":\n\n".utf8)

    /// Tells the client how long to wait before it connects again.
    package static func retry(after delay: Duration) -> Data {
        Data("retry: \(Int(max(.zero, delay) / .milliseconds(1)))\n\n".utf8)
    }
}

/// Reads events from the bytes of a stream.
package struct EventParser: Sendable {
    /// An event is larger than the limit.
    package struct EventTooLarge: Error {}

    /// The delay that the server asks for before a client connects again.
    package private(set) var retry: Duration?

    /// The identifier of the last event, which a client sends when it connects again.
    package private(set) var lastID: String?

    private let limit: Int
    private var line = Data()
    private var data = Data()
    private var hasData = false
    private var isAfterReturn = false
    private var isAtStart = true

    /// - Parameter limit: The largest number of bytes of an event.
    package init(limit: Int, lastID: String? = nil) {
        self.limit = limit
        self.lastID = lastID
    }

    /// Reads a piece of the stream, and returns the events that it completes.
    ///
    /// - Throws: ``EventTooLarge``.
    package mutating func read(_ piece: Data) throws(EventTooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in piece {
            let isReturn = byte == UInt8(ascii: "\r")
            defer { isAfterReturn = isReturn }
            guard isReturn || byte == UInt8(ascii: "\n") else {
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
            defer { (data, hasData) = (Data(), false) }
            return hasData ? ServerSentEvent(id: lastID, data: data) : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        let name = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? Data()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id" where !value.contains(0): lastID = String(decoding: value, as: UTF8.self)
        case "retry":
            guard !value.isEmpty, value.count <= 9, value.allSatisfy(FieldSyntax.isDigit) else { break }
            retry = Int(String(decoding: value, as: UTF8.self)).map { .milliseconds($0) }
        default: break
        }
        return nil
    }
}
