import Duet
import DuetCaching
import DuetSQLite
import Foundation

/// Dispatches commands through a queue in a file, and lists in another file what was carried out.
///
/// Each fourth command finds no connection. Commands of one remainder have one key.
enum QueuedPosts {
    struct Post: Command, Codable {
        static let messageName = "Writer.Post"
        let number: Int
    }

    private struct NoConnection: TemporaryError {
        let isTemporary = true
    }

    private struct PostHandler: CommandHandler {
        let file: FileHandle

        func handle(_ command: Post) async throws {
            if command.number.isMultiple(of: 4) { throw NoConnection() }
            try file.write(contentsOf: Data("\(command.number)\n".utf8))
        }
    }

    /// - Parameter list: The path of the list, to which numbers are appended.
    static func dispatch(path: String, first: Int, list: String) async throws {
        // Other processes may append, too.
        let handle = FileHandle(fileDescriptor: unsafe open(list, O_WRONLY | O_APPEND), closeOnDealloc: true)
        let limit = CommandStoreLimit(commands: 100_000)
        let store = try await SQLiteCommandStore(path: path, limit: limit, busyTimeout: .seconds(3_600))
        let queue = CommandQueue(in: store)
        let dispatcher = try StandardDispatcher { PostHandler(file: handle) }
            .queueing(in: queue) { Enqueue(Post.self, version: 1, inOrderOf: { $0.number % 4 }) }
        for number in first... {
            try await dispatcher.dispatch(Post(number: number))
            try StoreWriter.tellStep()
        }
    }
}
