import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import Hummingbird
import NIOCore
import Rounds

/// The longest time that the main actor cannot do other work while it waits for a large value.
enum Stall {
    private static let loads = 15

    /// 5.5 MB of JSON.
    private struct LoadArchive: HTTPQuery {
        typealias Value = [Speaker]
        static let route: QueryRoute<Self> = .get("archive")

        struct Payload: Codable, Sendable {
            let items: [Speaker]
        }

        static func value(from payload: Payload, answering query: Self) -> [Speaker] { payload.items }
        static func payload(from value: [Speaker], answering query: Self) -> Payload { Payload(items: value) }
    }

    /// A server for the archive.
    static func server(_ onServerRunning: @escaping Servers.OnRunning) throws -> some ApplicationProtocol {
        let items = (1...42_500).map { number in
            Speaker(
                id: number,
                name: "Speaker number \(number)",
                talks: number % 4,
                biography: "Writes servers in Swift, and speaks of what she learnt from number \(number)."
            )
        }
        let archive = ByteBuffer(bytes: try JSONEncoder().encode(LoadArchive.Payload(items: items)))
        let router = Router()
        router.get("archive") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: archive))
        }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: onServerRunning
        )
    }

    @MainActor
    static func measure(port: Int) async throws {
        let client = NIOHTTPClient()
        let dispatcher = HTTPDispatcher(baseURL: try BaseURL("http://127.0.0.1:\(port)"), client: client)
        var pauses: [Duration] = []
        // Freeing a large value takes as long as the measured pause, and is the owner's responsibility.
        var archives: [[Speaker]] = []
        for _ in 1...loads {
            let ticker = Task { @MainActor in await longestPause() }
            await Task.yield()
            let archive = try await dispatcher.dispatch(LoadArchive())
            guard archive.count == 42_500 else { throw WrongAnswer() }
            archives.append(archive)
            ticker.cancel()
            pauses.append(await ticker.value)
        }
        try await client.shutdown()
        let median = pauses.sorted()[loads / 2] / .milliseconds(1)
        print("The main actor loads 5.5 MB of JSON, \(loads) times; the longest pause of its other work, median.")
        printFigure("main actor stalled by a query of 5.5 MB, in ms", median, atMost: 5)
    }

    /// Runs on the main actor every millisecond until it is canceled, and returns its longest delay.
    @MainActor
    private static func longestPause() async -> Duration {
        let clock = ContinuousClock()
        var (longest, last) = (Duration.zero, clock.now)
        while !Task.isCancelled {
            try? await clock.sleep(for: .milliseconds(1))
            let now = clock.now
            (longest, last) = (max(longest, now - last - .milliseconds(1)), now)
        }
        return longest
    }
}
