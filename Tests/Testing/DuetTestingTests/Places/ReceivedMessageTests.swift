import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// What becomes of a received message, which is the same on each carrier.
@Suite(.timeLimit(.minutes(5)))
struct ReceivedMessageTests {
    enum Carriers: CaseIterable {
        case http, cluster
    }

    /// A text that no sender may see.
    static let secret = "db-7"

    // MARK: Errors of a handler

    @Test(arguments: Carriers.allCases)
    func `a declared error is thrown at the sender`(carrier: Carriers) async throws {
        let error = try await error(of: Ask(.declared), over: carrier)
        #expect(error as? Declined == Declined(reason: "full"))
        #expect(try await self.error(of: Ask(.refused), over: carrier) as? AuthorizationError == .forbidden)
    }

    @Test(arguments: Carriers.allCases, [Ask.Ending.secret, .foreign, .foreignRefusal, .unsendable])
    func `another error tells the sender nothing about itself`(carrier: Carriers, ending: Ask.Ending) async throws {
        let error = try await error(of: Ask(ending), over: carrier)
        #expect(!(error is any DeclaredError))
        #expect(!"\(error)".contains(Self.secret))
    }

    @Test(arguments: Carriers.allCases)
    func `an error that may pass is one at the sender, and says when`(carrier: Carriers) async throws {
        let busy = try #require(try await error(of: Ask(.busy), over: carrier) as? any TemporaryError)
        #expect(busy.isTemporary)
        #expect(busy.retryAfter == .seconds(7))
        #expect(!"\(busy)".contains(Self.secret))
        let late = try #require(try await error(of: Ask(.late), over: carrier) as? any TemporaryError)
        #expect(late.isTemporary)
        #expect(late.retryAfter == nil)
    }

    @Test(arguments: Carriers.allCases)
    func `a cancellation that nobody has asked for is a fault of the handler`(carrier: Carriers) async throws {
        let error = try await error(of: Ask(.canceled), over: carrier)
        #expect(error is HTTPFailure || error is ClusterError)
    }

    // MARK: Messages that cannot be read

    @Test(arguments: Carriers.allCases)
    func `a message that its type rejects does not say why, unless the error is declared`(
        carrier: Carriers
    ) async throws {
        let error = try await error(of: RawPick(name: "secret"), over: carrier)
        #expect(!"\(error)".contains(Self.secret))
        #expect("\(error)".contains("value in"))
        #expect(try await self.error(of: RawPick(name: "full"), over: carrier) as? Declined != nil)
    }

    @Test(arguments: Carriers.allCases)
    func `a property of another type is named, without types of the program`(carrier: Carriers) async throws {
        let error = try await error(of: RawNumber(number: "one"), over: carrier)
        #expect("\(error)".contains("number must be a whole number"))
    }

    @Test(arguments: Carriers.allCases)
    func `a stranger learns nothing about a message before its caller is known`(carrier: Carriers) async throws {
        let error = try await error(of: RawClosed(name: "secret"), over: carrier)
        #expect(error as? AuthorizationError == .unauthenticated)
    }

    // MARK: Time

    @Test(arguments: Carriers.allCases)
    func `a handler has the deadline of its sender`(carrier: Carriers) async throws {
        let text = try await withDeadline(in: .seconds(3_600)) {
            try await value(of: Ask(.deadline), over: carrier)
        }
        #expect(text == "an hour")
    }

    @Test(arguments: Carriers.allCases)
    func `a handler does not begin after its deadline`(carrier: Carriers) async throws {
        let handled = Attempts()
        await #expect(throws: (any Error).self) {
            try await withDeadline(in: .zero) { try await value(of: Ask(.late), over: carrier, handled) }
        }
        #expect(handled.entries == [])
    }

    @Test(arguments: Carriers.allCases)
    func `a handler that takes too long is canceled, and another attempt may succeed`(carrier: Carriers) async throws {
        let clock = ManualClock()
        let advancing = Task { while !Task.isCancelled { clock.advance(by: await clock.nextSleeper()) } }
        let error = try await error(of: Ask(.stuck), over: carrier, clock: clock)
        advancing.cancel()
        #expect((error as? any TemporaryError)?.isTemporary == true)
    }

    // MARK: Commands of a log

    @Test(arguments: [Ask.Ending.unsendable, .rejected])
    func `a command whose next attempt would fail alike has one attempt`(ending: Ask.Ending) async throws {
        let handled = Attempts()
        _ = try await error(of: Do(ending), over: .cluster, handled)
        #expect(handled.entries == ["\(ending)"])
    }

    // MARK: Places

    private static let messages = MessageAPI("endings") {
        Ask.authorized(.open)
        Do.authorized(.open)
        Pick.authorized(.open)
        Number.authorized(.open)
        Closed.authorized(.principal)
    }

    /// The same messages, as careless senders write them.
    private static let sent = MessageAPI("careless", authorized: .open) {
        Ask.self
        Do.self
        RawPick.self
        RawNumber.self
        RawClosed.self
    }

    private func error<M: Message>(
        of message: M,
        over carrier: Carriers,
        _ handled: Attempts = Attempts(),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> any Error where M.Value: Sendable {
        do {
            _ = try await value(of: message, over: carrier, handled, clock: clock)
        } catch {
            return error
        }
        throw ExpectedError()
    }

    private func value<M: Message>(
        of message: M,
        over carrier: Carriers,
        _ handled: Attempts = Attempts(),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> M.Value where M.Value: Sendable {
        let dispatcher = try StandardDispatcher {
            AskHandler(handled: handled)
            DoHandler(handled: handled)
            UnreachedHandler<Pick>()
            UnreachedHandler<Number>()
            UnreachedHandler<Closed>()
        }
        switch carrier {
        case .http:
            let router = Router()
            let options = MountOptions(maximumDuration: .seconds(3_600), clock: clock)
            try router.mount(Self.messages, dispatcher, authenticator: StaticTokenAuthenticator([:]), options: options)
            let client = RouterHTTPClient(router)
            let sender = try HTTPDispatcher(Self.sent, baseURL: BaseURL("http://localhost"), client: client)
            return try await sender.dispatch(message)
        case .cluster:
            let engine = InProcessCluster()
            let worker = try ClusterWorker(Self.messages, dispatcher, on: engine, clock: clock)
            let run = Task { try await worker.run() }
            let sender = try ClusterDispatcher(Self.sent, on: engine, options: .patient)
            let value: Result<M.Value, any Error>
            do { value = .success(try await sender.dispatch(message)) } catch { value = .failure(error) }
            run.cancel()
            try await run.value
            return try value.get()
        }
    }

    private struct ExpectedError: Error {}
}

/// The attempts to handle messages.
final class Attempts: Sendable {
    private let state = Mutex<[String]>([])

    var entries: [String] { state.withLock(\.self) }

    func note(_ entry: String) { state.withLock { $0.append(entry) } }
}

// MARK: Messages

private struct AskHandler: QueryHandler {
    let handled: Attempts
    func handle(_ query: Ask) async throws -> String { try await query.ending.end(handled) }
}

private struct DoHandler: CommandHandler {
    let handled: Attempts
    func handle(_ command: Do) async throws { _ = try await command.ending.end(handled) }
}

/// Handles messages that cannot be read.
private struct UnreachedHandler<Message: Query>: QueryHandler {
    func handle(_ query: Message) async throws -> Message.Value { throw Secret() }
}

struct Ask: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("ask").throwing(Declined.self, Unsendable.self)

    let ending: Ending

    init(_ ending: Ending) { self.ending = ending }

    /// How the handler ends.
    enum Ending: String, Codable {
        case declared, refused, secret, foreign, foreignRefusal, unsendable, busy, late, canceled, rejected, deadline,
            stuck

        fileprivate func end(_ handled: Attempts) async throws -> String {
            handled.note("\(self)")
            switch self {
            case .declared: throw Declined(reason: "full")
            case .refused: throw AuthorizationError.forbidden
            case .secret: throw Secret()
            case .foreign: throw received(Foreign(detail: ReceivedMessageTests.secret))
            case .foreignRefusal: throw received(AuthorizationError.unauthenticated)
            case .unsendable: throw Unsendable()
            case .busy: throw Busy()
            case .late: throw DispatchError.timedOut(message: ReceivedMessageTests.secret, after: .seconds(1))
            case .canceled: throw CancellationError()
            case .rejected: throw ClusterError.failed(message: Do.messageName, reason: "It failed elsewhere")
            case .stuck:
                try await Gate().pass()
                return ""
            case .deadline:
                let remaining = Deadline.current?.remaining ?? .zero
                return (.seconds(1)...(.seconds(3_600))).contains(remaining) ? "an hour" : "\(remaining)"
            }
        }

        /// Notes an error of another server, as a client does.
        private func received<E: DeclaredError>(_ error: E) -> E {
            ReceivedErrors.current?.insert(error)
            return error
        }
    }
}

private struct Do: HTTPCommand {
    static let route: CommandRoute<Self> = .post("do").throwing(Unsendable.self)

    let ending: Ask.Ending

    init(_ ending: Ask.Ending) { self.ending = ending }
}

/// Rejects each name in its own way.
private struct Pick: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("pick").throwing(Declined.self)

    let name: String

    private enum CodingKeys: CodingKey { case name }

    init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        if name == "full" { throw Declined(reason: name) }
        throw Secret()
    }
}

private struct RawPick: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("pick").throwing(Declined.self)
    static var messageName: String { Pick.messageName }

    let name: String
}

private struct Number: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("number")

    let number: Int
}

private struct RawNumber: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("number")
    static var messageName: String { Number.messageName }

    let number: String
}

/// Cannot be read, and is for principals only.
private struct Closed: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("closed")

    let name: String

    init(from decoder: any Decoder) throws { throw Secret() }
}

private struct RawClosed: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("closed")
    static var messageName: String { Closed.messageName }

    let name: String
}

// MARK: Errors

private struct Declined: HTTPProblem, Equatable {
    static let problemType = "urn:test:declined"
    let reason: String
    var status: HTTPResponse.Status { .conflict }
}

/// Cannot be encoded.
private struct Unsendable: HTTPProblem {
    static let problemType = "urn:test:unsendable"
    var number = Double.infinity
    var status: HTTPResponse.Status { .conflict }
}

private struct Foreign: HTTPProblem {
    static let problemType = "urn:test:foreign"
    let detail: String?
    var status: HTTPResponse.Status { .conflict }
}

private struct Secret: Error, CustomStringConvertible {
    var description: String { "The disk of \(ReceivedMessageTests.secret) is full" }
}

private struct Busy: TemporaryError, CustomStringConvertible {
    var isTemporary: Bool { true }
    var retryAfter: Duration? { .seconds(7) }
    var description: String { "\(ReceivedMessageTests.secret) is busy" }
}
