import Duet
import DuetCaching
import DuetSQLite
import Foundation
import Rounds

/// A command that invalidates one of 10,000 stored values: how long its sender waits for the mark in the store.
enum CacheMarkRounds {
    static let count = 10_000
    static let rounds = 11

    static func run(in folder: URL) async throws {
        let store = try await SQLiteCacheStore(path: folder.appending(component: "marks.sqlite").path)
        let dispatcher = try Folders().caching(in: .memory(limit: .entries(100)).backed(by: store)) {
            Cache(LoadFolder.self, .maxAge(.hours(1)), scope: .shared).stored(version: 1)
            Invalidate(LoadFolder.self, after: ChangeFolder.self) { query, command in query.number == command.number }
        }
        var (answers, passes) = ([Double](), [Double]())
        for number in 0..<rounds {
            for folder in 0..<count { _ = try await dispatcher.dispatch(LoadFolder(number: folder)) }
            try await dispatcher.cache.flush()
            let clock = ContinuousClock()
            let start = clock.now
            try await dispatcher.dispatch(ChangeFolder(number: number))
            let answer = start.duration(to: clock.now)
            try await dispatcher.cache.flush()
            answers.append(answer / .milliseconds(1))
            passes.append(start.duration(to: clock.now) / .milliseconds(1))
        }
        let (answer, pass) = (answers.sorted()[rounds / 2], passes.sorted()[rounds / 2])
        print("A command in front of 10,000 stored values, ms: \(answer.text()), and \(pass.text()) with the pass.")
        printFigure("a command in front of 10,000 stored values, ms", answer, atMost: 2)
    }
}

private struct LoadFolder: Query, Hashable, Codable {
    typealias Value = Int
    let number: Int
}

private struct ChangeFolder: Command {
    let number: Int
}

private struct Folders: Dispatcher {
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        if let query = message as? LoadFolder, let value = query.number as? M.Value { return value }
        guard message is ChangeFolder, let value = () as? M.Value else { throw WrongFeed(store: "cache") }
        return value
    }
}
