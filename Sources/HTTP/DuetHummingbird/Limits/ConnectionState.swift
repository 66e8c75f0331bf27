import NIOCore
import NIOHTTP1

/// The requests and responses of one connection, as far as its limits depend on them.
///
/// This is a pure state machine: the caller passes in the time and carries out what the methods return.
struct ConnectionState {
    enum Timer {
        /// The time without a request.
        case idle
        /// The time for the rest of a request.
        case body
        /// The time after the last response.
        case drain
    }

    enum Expiry {
        case ignore
        case wait(until: NIODeadline)
        case expire
    }

    private enum Phase {
        case open
        /// The client sent something that is not HTTP, so nothing after it can be read.
        case broken
        /// The client sent too many requests at once, so that only the first ones are answered.
        case full
        /// Nothing is sent after what has been written, and whatever arrives is discarded.
        case draining
        case closed
    }

    /// The largest number of requests without a complete response.
    ///
    /// A client that sends more at once sends the others again (RFC 9112, section 9.3.2).
    private static let requestLimit = 64

    private let limits: ServerLimits
    private var phase = Phase.open
    /// Whether the rest of a request is missing.
    private(set) var isReading = false
    /// The number of requests without a complete response.
    private var unanswered = 0
    private var isResponding = false
    /// Whether a response was completed since the server shuts down.
    private var hasResponded = false
    private var hasOversizedHead = false
    private var isQuiescing = false
    private var lastActive: NIODeadline

    init(_ limits: ServerLimits, at now: NIODeadline) {
        self.limits = limits
        lastActive = now
    }

    /// Whether the response to an incomplete request can still be chosen.
    var canRefuse: Bool { isReading && unanswered == 1 && !isResponding }

    var isDraining: Bool { phase == .draining }

    /// Whether everything was answered that is answered at all.
    var isDone: Bool { phase == .full && unanswered == 0 }

    /// Whether the incomplete request waits for the response to an earlier one, and not for its client.
    private var isHeldUp: Bool { isReading && unanswered > 1 }

    // MARK: Time

    func deadline(of timer: Timer, from start: NIODeadline) -> NIODeadline {
        let duration =
            switch timer {
            case .idle: limits.idleTimeout
            case .body: limits.bodyTimeout
            case .drain: limits.drainTimeout
            }
        return start + TimeAmount(duration)
    }

    func fired(_ timer: Timer, at now: NIODeadline, hasPendingBytes: Bool) -> Expiry {
        // A timer that is due together with another one fires even if that has stopped it.
        guard phase != .closed, isDraining == (timer == .drain) else { return .ignore }
        switch timer {
        case .drain: return .expire
        case .body where !isReading: return .ignore
        case .body: return isHeldUp ? .wait(until: deadline(of: .body, from: now)) : .expire
        case .idle:
            let isBusy = isReading ? isHeldUp : unanswered > 0 || hasPendingBytes
            let due = deadline(of: .idle, from: isBusy ? now : lastActive)
            return now < due ? .wait(until: due) : .expire
        }
    }

    // MARK: Messages

    /// Updates the state for a part of a request, and returns whether to forward it.
    mutating func receive(_ part: HTTPServerRequestPart, at now: NIODeadline) -> Bool {
        guard phase == .open else { return false }
        lastActive = now
        switch part {
        case .head:
            guard unanswered < Self.requestLimit else {
                phase = .full
                return false
            }
            isReading = true
            unanswered += 1
        case .body: break
        case .end: isReading = false
        }
        return true
    }

    mutating func receive(_ error: HTTPParserError) {
        if phase == .open { phase = .broken }
        if case .headerOverflow = error { hasOversizedHead = true }
    }

    /// Updates the state for a part of a response, and returns the head to send instead, if any.
    mutating func send(_ part: HTTPServerResponsePart, at now: NIODeadline) -> (isOpen: Bool, head: HTTPResponseHead?) {
        guard phase != .closed else { return (false, nil) }
        switch part {
        case .head(var head) where head.status.code < 200:
            // A quiescing NIO server marks every head with this, and clients would stop after an interim one.
            head.headers.remove(name: "Connection")
            return (true, head)
        case .head(var head):
            isResponding = true
            guard head.status.code >= 400 else { break }
            // Hummingbird responds to every invalid head with 400.
            if hasOversizedHead, unanswered == 0 { head.status = .requestHeaderFieldsTooLarge }
            // Otherwise some caches give the error to others for a default time.
            if !head.headers.contains(name: "Cache-Control") {
                head.headers.add(name: "Cache-Control", value: "no-store")
            }
            return (true, head)
        case .body: break
        case .end:
            isResponding = false
            hasResponded = isQuiescing
            unanswered -= 1
            lastActive = now
        }
        return (true, nil)
    }

    // MARK: The end

    mutating func quiesce() {
        isQuiescing = true
    }

    /// Begins to drain the connection if it is to be closed and a response may not have been read, and returns whether
    /// it does.
    mutating func drain(closing mode: CloseMode, hasUnreceivedBytes: Bool) -> Bool {
        guard [.open, .broken, .full].contains(phase) else { return false }
        switch mode {
        case .input: return false
        case .output: break
        case .all:
            // A server that shuts down closes a connection as soon as it has written the last response.
            // The client of an earlier response is idle, and knows that a server may close an idle connection.
            guard isQuiescing, unanswered <= 0, hasUnreceivedBytes || hasResponded else { return false }
        }
        phase = .draining
        isReading = false
        return true
    }

    mutating func close() {
        phase = .closed
        isReading = false
    }
}
