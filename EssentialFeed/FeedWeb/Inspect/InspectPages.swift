import DuetCaching
import DuetClusterEngine
import DuetDependencies
import FeedFeature
import FeedServing
import Foundation
import HTTPTypes
import Hummingbird

/// A change of a waiting command, which a developer asks for.
enum InspectCommand: String, CaseIterable {
    case retry, drop

    /// The path; a component that begins with a colon stands for any id.
    var path: String { "/inspect/commands/:id/\(rawValue)" }
}

/// The page that shows developers what the program is doing.
///
/// It responds only to requests from this machine that know its token, and is in English only, unlike the pages for
/// readers. It works without script; `inspect.js` refreshes it in place.
struct InspectPages {
    private let container: Container
    private let handlers: HandlerSection

    private let token: String

    init(container: Container, token: String) {
        self.container = container
        self.token = token
        handlers = HandlerSection(container.graph)
    }

    func add(to router: Router<ScopedRequestContext>) {
        let group = router.group().add(middleware: LocalRequests()).add(middleware: InspectAccess(token: token))
        group.get("/inspect") { _, _ in try await page() }
        for asset in Asset.inspect {
            group.get(RouterPath(asset.path)) { request, _ in try asset.response(to: request) }
        }
        for command in InspectCommand.allCases {
            group.post(RouterPath(command.path)) { request, context in
                try await request.withoutFields { try await change(command, context) }
            }
        }
    }

    private func page() async throws -> Response {
        let now: CurrentDate = try await container.resolve()
        let log: MessageLog? = try await container.resolve()
        let cache: QueryCache? = try await container.resolve()
        let queue: CommandQueue? = try await container.resolve()
        let commands: (any CommandLog)? = try await container.resolve()
        let clock: any Clock<Duration> = try await container.resolve()
        var cluster: ClusterSection?
        if let commands { cluster = await ClusterSection(commands, clock: clock) }
        let page = InspectPage(
            time: InspectText.time(now()),
            messages: log.map(MessageSection.init),
            cache: cache.map(CacheSection.init),
            queue: queue.map { QueueSection($0.commands, now: now()) },
            cluster: cluster,
            handlers: handlers
        )
        return try .html("inspect", page, language: "en")
    }

    /// Retries or drops a waiting command, and responds with the page.
    private func change(_ command: InspectCommand, _ context: ScopedRequestContext) async throws -> Response {
        guard let id = context.parameters.get("id", as: UUID.self),
            let queue = try await container.resolve(CommandQueue?.self)
        else { throw HTTPError(.notFound) }
        switch command {
        case .retry: try await queue.retry(id)
        case .drop: try await queue.drop(id)
        }
        return .seeOther("/inspect#commands")
    }
}

/// The values of the template.
struct InspectPage {
    let time: String
    let messages: MessageSection?
    let cache: CacheSection?
    /// Nil in a program without a queue.
    let queue: QueueSection?
    /// Nil in a program that is not part of a cluster.
    let cluster: ClusterSection?
    let handlers: HandlerSection
}

enum InspectText {
    /// The time of day in UTC, as in logs.
    static func time(_ date: Date) -> String {
        date.formatted(
            Date.VerbatimFormatStyle(
                format: """
                    \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                    \(second: .twoDigits).\(secondFraction: .fractional(3))
                    """,
                timeZone: .gmt,
                calendar: Calendar(identifier: .gregorian)
            )
        )
    }

    /// A duration in three significant digits or fewer, such as `1.25 ms` or `3 min`.
    static func duration(_ duration: Duration) -> String {
        let seconds = max(0, duration / .seconds(1))
        return switch seconds {
        case ..<0.001: number(seconds * 1_000_000, "µs")
        case ..<1: number(seconds * 1_000, "ms")
        case ..<60: number(seconds, "s")
        case ..<3_600: number(seconds / 60, "min")
        case ..<86_400: number(seconds / 3_600, "h")
        default: number(seconds / 86_400, "d")
        }
    }

    static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    private static func number(_ value: Double, _ unit: String) -> String {
        let digits = value < 10 ? 2 : value < 100 ? 1 : 0
        let text = value.formatted(
            .number.precision(.fractionLength(0...digits)).grouping(.never).locale(Locale(identifier: "en_US_POSIX"))
        )
        return "\(text) \(unit)"
    }
}
