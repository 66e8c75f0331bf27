import Duet

/// Puts commands into a queue instead of dispatching them.
final class QueuedHandling<C: Command & Codable>: CacheHandling {
    private let rule: Enqueue<C>
    private let queue: CommandQueue

    init(_ rule: Enqueue<C>, _ queue: CommandQueue) {
        self.rule = rule
        self.queue = queue
    }

    func dispatch(_ command: C, next: some Dispatcher, in cache: QueryCache) async throws {
        try await queue.enqueue(command, by: rule, through: next)
    }
}

extension Enqueue {
    /// Returns the function that carries out the dispatch of a command, with all of its rules.
    func run(_ command: C) -> CommandQueue.Run {
        { next, cache in
            // The queue notes the outcome.
            try? await CommandHandling<C>().dispatch(command, next: next, in: cache)
        }
    }

    /// - Throws: ``UnreadableCommand``.
    func run(_ stored: StoredCommand) throws -> CommandQueue.Run {
        do {
            if stored.version == version { return run(try QueryCoding.decode(C.self, from: stored.bytes)) }
            guard let upgrade else {
                throw UnreadableCommand(
                    reason: "it has version \(stored.version), and the Enqueue rule has version \(version)"
                )
            }
            return run(try upgrade(stored.bytes, stored.version))
        } catch let error as UnreadableCommand {
            throw error
        } catch {
            throw UnreadableCommand(reason: "its encoding is not that of \(stored.name): \(error)")
        }
    }
}
