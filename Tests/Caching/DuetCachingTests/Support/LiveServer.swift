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

    private struct Queries {
        var answers: [(notes: Result<[String], any Error>, version: CacheVersion?)] = []
        /// The version of a query for which there is no answer.
        var version: CacheVersion?
        var modes: [ReadMode] = []
        var gate: Gate?
    }

    let base = Server()
    private let streams = Monitor<[AsyncStream<Report>.Continuation]>([])
    private let commands = Mutex(Commands())
    private let queries = Mutex(Queries())

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

    /// Sets the answer to the next query that has none.
    func answer(_ notes: [String], _ version: CacheVersion?) {
        queries.withLock { $0.answers.append((.success(notes), version)) }
    }

    func answerFailure(_ error: any Error) { queries.withLock { $0.answers.append((.failure(error), nil)) } }

    /// Sets the version of queries for which there is no answer.
    func note(_ version: CacheVersion?) { queries.withLock { $0.version = version } }

    /// Holds the next answer that was set.
    func holdAnswer() -> Gate {
        let gate = Gate()
        queries.withLock { $0.gate = gate }
        return gate
    }

    /// The modes in which queries were read, in order.
    var modes: [ReadMode] { queries.withLock(\.modes) }

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
        if M.self is any Query.Type, let value = try await answer(to: message) { return value }
        let value = try await base.dispatch(message)
        if M.self is any Command.Type {
            let (version, gate) = commands.withLock { ($0.version, $0.gate.take()) }
            CommandVersion.current?.note(version)
            try await gate?.pass()
        }
        return value
    }

    /// The next answer that was set; nil after the last one.
    private func answer<M: Message>(to query: M) async throws -> M.Value? {
        let reading = Reading.current(of: M.self)
        let (answer, version, gate) = queries.withLock { queries in
            if let mode = reading?.mode { queries.modes.append(mode) }
            let answer = M.self == LoadNotes.self && !queries.answers.isEmpty ? queries.answers.removeFirst() : nil
            return (answer, queries.version, answer == nil ? nil : queries.gate.take())
        }
        try await gate?.pass()
        reading?.note(answer?.version ?? version)
        return try answer?.notes.get() as? M.Value
    }
}
