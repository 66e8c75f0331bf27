import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import Synchronization
import Testing

/// Processes that are killed while they dispatch commands and send them.
@Suite(.serialized) struct CommandQueueKillTests {
    private struct Post: Command, Codable {
        static let messageName = "Writer.Post"
        let number: Int
    }

    private final class PostHandler: CommandHandler, Sendable {
        private let log = Mutex<[Int]>([])

        var numbers: [Int] { log.withLock(\.self) }

        func handle(_ command: Post) async throws { log.withLock { $0.append(command.number) } }
    }

    private let directory: TemporaryDirectory
    private let path: String
    private let list: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("commands.sqlite")
        list = directory.path("carried out.txt")
        try Data().write(to: URL(filePath: list))
    }

    @Test func `each acknowledged command of killed processes is carried out, in the order of its key`() async throws {
        var generator = SeededGenerator(seed: 3)
        let rounds = max(1, faultRounds / 3)
        var next = 0
        // One more may have been stored and not yet reported.
        var unreported: Set<Int> = []
        for round in 1...rounds {
            let writer = try ReportingProcess("HTTPCacheWriter", ["dispatch", path, "\(next)", list])
            let steps = Int.random(in: 1...12, using: &generator)
            try #require(try writer.wait(forSteps: steps), "the writer ended by itself (round \(round))")
            next += steps + writer.kill()
            unreported.insert(next)
            next += 1
        }
        let carriedOut = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
        let last = try await sendTheRest()
        let numbers = carriedOut + last
        #expect(Set(0..<next).subtracting(numbers).isSubset(of: unreported))
        for key in 0..<4 {
            var seen: Set<Int> = []
            let order = numbers.filter { $0 % 4 == key && seen.insert($0).inserted }
            #expect(order == order.sorted(), "key \(key)")
        }
        // Only commands that were being sent when a process was killed are carried out twice.
        #expect(numbers.count - Set(numbers).count <= 4 * rounds)
        #expect(last.contains { $0.isMultiple(of: 4) })
    }

    /// Sends the commands that are still in the store, and returns their numbers.
    private func sendTheRest() async throws -> [Int] {
        let handler = PostHandler()
        let queue = CommandQueue(
            in: try await SQLiteCommandStore(path: path, limit: CommandStoreLimit(commands: 100_000))
        )
        let dispatcher = try StandardDispatcher { handler }
            .caching(in: .memory(limit: .entries(1)), queue: queue) {
                Enqueue(Post.self, version: 1, inOrderOf: { $0.number % 4 })
            }
        // It is added after all others, which have been read then.
        try await dispatcher.dispatch(Post(number: 1_000_000))
        for await commands in queue.states where commands.isEmpty { break }
        return handler.numbers.filter { $0 != 1_000_000 }
    }
}
