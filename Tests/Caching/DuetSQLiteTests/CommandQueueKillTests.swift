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
            let writer = try ReportingProcess("StoreWriter", ["dispatch", path, "\(next)", list])
            let steps = Int.random(in: 1...12, using: &generator)
            try #require(try writer.wait(forSteps: steps), "the writer ended by itself (round \(round))")
            next += steps + writer.kill()
            unreported.insert(next)
            next += 1
        }
        let carriedOut = try listed()
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
        let (queue, dispatcher) = try await openQueue(sendingTo: handler)
        // It is added after all others, which have been read then.
        try await dispatcher.dispatch(Post(number: 10_000_000))
        // One may have been sent whenever the process was killed.
        try await queue.retryAll()
        for await commands in queue.states where commands.isEmpty { break }
        return handler.numbers.filter { $0 != 10_000_000 }
    }

    private func openQueue(sendingTo handler: PostHandler) async throws -> (CommandQueue, QueueingDispatcher) {
        let queue = CommandQueue(
            in: try await SQLiteCommandStore.open(path, limit: CommandStoreLimit(commands: 100_000))
        )
        let dispatcher = try StandardDispatcher { handler }
            .queueing(in: queue) { Enqueue(Post.self, version: 1, inOrderOf: { $0.number % 4 }) }
        await queue.waitUntilLoaded()
        return (queue, dispatcher)
    }

    /// The numbers of the commands that other processes have carried out.
    private func listed() throws -> [Int] {
        try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
    }

    // MARK: Several queues

    @Test func `of two queues on a file one sends, and the other takes over when it ends`() async throws {
        let handlers = [PostHandler(), PostHandler()]
        var first: (CommandQueue, QueueingDispatcher)? = try await openQueue(sendingTo: handlers[0])
        let (queue, second) = try await openQueue(sendingTo: handlers[1])
        for number in 0..<20 {
            try await (number.isMultiple(of: 2) ? first?.1 : second)?.dispatch(Post(number: number))
        }
        for await commands in queue.states where commands.isEmpty { break }
        #expect(handlers[0].numbers.sorted() == Array(0..<20))
        #expect(handlers[1].numbers == [])
        first = nil
        for number in 20..<30 { try await second.dispatch(Post(number: number)) }
        for await commands in queue.states where commands.isEmpty { break }
        #expect(handlers[0].numbers.count == 20)
        #expect(handlers[1].numbers.sorted() == Array(20..<30))
    }

    @Test func `a queue takes over from a killed process, and sends everything in the order of dispatch`() async throws
    {
        let writer = try ReportingProcess("StoreWriter", ["dispatch", path, "0", list])
        try #require(try writer.wait(forSteps: 20), "the writer ended by itself")
        let handler = PostHandler()
        let (queue, dispatcher) = try await openQueue(sendingTo: handler)
        for number in 1_000_000..<1_000_008 { try await dispatcher.dispatch(Post(number: number)) }
        #expect(handler.numbers == [])
        let steps = 20 + writer.kill()
        for await commands in queue.states where commands.isEmpty { break }
        let (before, after) = (try listed(), handler.numbers)
        #expect(Set(0..<steps).union(1_000_000..<1_000_008).isSubset(of: before + after))
        #expect(Set(after).count == after.count)
        // Only commands that were being sent when the process was killed are carried out twice.
        #expect(Set(before).intersection(after).count <= 4)
        for key in 0..<4 {
            let order = after.filter { $0 % 4 == key }
            let own = order.filter { $0 >= 1_000_000 }
            #expect(own == own.sorted(), "key \(key)")
            // The first 20 were acknowledged before.
            let earlier = order.lastIndex { $0 < 20 } ?? -1
            if let first = order.firstIndex(where: { $0 >= 1_000_000 }) { #expect(earlier < first, "key \(key)") }
        }
        #expect(after.contains(0))
    }

    @Test func `two processes add to a file and one sends, and the other takes over when that one is killed`()
        async throws
    {
        let first = try ReportingProcess("StoreWriter", ["dispatch", path, "0", list])
        try #require(try first.wait(forSteps: 20), "the writer ended by itself")
        let second = try ReportingProcess("StoreWriter", ["dispatch", path, "1000000", list])
        try #require(try second.wait(forSteps: 20), "the writer ended by itself")
        let firstCount = 20 + first.kill()
        let before = try listed()
        var secondCount = 20
        while try listed().count == before.count {
            try #require(try second.wait(forSteps: 1), "the writer ended by itself")
            secondCount += 1
        }
        secondCount += second.kill()
        let numbers = try await listed() + sendTheRest()
        let acknowledged = Set(0..<firstCount).union(1_000_000..<1_000_000 + secondCount)
        #expect(acknowledged.isSubset(of: numbers))
        // Only commands that were being sent when a process was killed are carried out twice.
        #expect(numbers.count - Set(numbers).count <= 8)
        for (key, isFirst) in [0, 1, 2, 3].flatMap({ [($0, true), ($0, false)] }) {
            var seen: Set<Int> = []
            let order = numbers.filter { $0 % 4 == key && ($0 < 1_000_000) == isFirst && seen.insert($0).inserted }
            #expect(order == order.sorted(), "key \(key)")
        }
    }
}
