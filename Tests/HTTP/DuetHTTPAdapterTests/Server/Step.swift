/// A step of a raw server after a request has arrived.
enum Step: Sendable {
    /// Sends these bytes.
    case bytes([UInt8])

    /// Sends these bytes one at a time, over and over.
    case drip([UInt8])

    /// Sends these bytes, over and over, as fast as they are read.
    case endless([UInt8])

    /// Closes the connection.
    case close

    /// Resets the connection, as a process does that is killed with unread bytes.
    case reset

    /// Sends this text.
    static func text(_ text: String) -> Step {
        .bytes(Array(text.utf8))
    }

    /// Sends a response with a body and its length.
    static func answer(_ status: String = "200 OK", fields: String = "", body: String = "") -> Step {
        .text("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
}
