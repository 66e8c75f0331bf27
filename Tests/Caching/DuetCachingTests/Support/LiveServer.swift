import Duet
import DuetCaching
import DuetTesting
import Synchronization
import TestSupport

/// A server that reports the changes which a test sends.
final class LiveServer: Dispatcher {
    private typealias Report = (update: QueryUpdate<[String]>, version: CacheVersion?)

    private struct Commands {
        var version: CacheVersion?
        var gate: Gate?
    }

    let base = Server()
    private let streams = Monitor<[AsyncStream<Report>.Continuation]>([])
    private let commands = Mutex(Commands())

    /// The version of the cache of this server, or of another one.
    static func version(_ number: Int, of cache: UInt64 = 1) -> CacheVersion {
        CacheVersion(cache: cache, number: number)
    }

    /// Waits until a number of streams have begun.
    func streams(_ number: Int) async { await streams.waitEvenIfCanceled { $0.count >= number } }

    var streamCount: Int { streams.read(\.count) }

    func report(_ notes: [String], _ version: CacheVersion? = nil) {
        streams.read(\.last)?.yield((.value(notes), version))
    }

    func fail(_ error: any Error) { streams.read(\.last)?.yield((.failure(error), nil)) }

    /// Reports that the last value is that of a later version, too.
    func confirm(_ version: CacheVersion) { streams.read(\.last)?.yield((.confirmed, version)) }

    func end() { streams.read(\.last)?.finish() }

    /// Sets the version that the next command leads to.
    func lead(to version: CacheVersion?) { commands.withLock { $0.version = version } }

    /// Holds the response to the next command.
    func holdResponse() -> Gate {
        let gate = Gate()
        commands.withLock { $0.gate = gate }
        return gate
    }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool { query is LoadNotes.Type }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        let (stream, continuation) = AsyncStream.makeStream(of: Report.self)
        streams.update { $0.append(continuation) }
        return QueryStates<[String]> {
            var iterator = stream.makeAsyncIterator()
            var state = QueryState<[String]>()
            return {
                guard let report = await iterator.next(isolation: #isolation) else { return nil }
                state.apply(report.update)
                state.version = report.version
                return state
            }
        } as? QueryStates<Q.Value>
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let value = try await base.dispatch(message)
        if M.self is any Command.Type {
            let (version, gate) = commands.withLock { ($0.version, $0.gate.take()) }
            CommandVersion.current?.note(version)
            try await gate?.pass()
        }
        return value
    }
}
