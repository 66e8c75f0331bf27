package import Duet
import Foundation
import ServiceContextModule
import Synchronization

#if Cluster || HTTP
    import Crypto
#endif

struct CommandKey {
    let value: String

    /// The name of the command that it came with; nil if a caller set it for what it dispatches.
    let message: String?

    /// What tells the command from all others, if its carrier knows; nil for the message, the principal and the key.
    var identity: String?

    /// The work of the handler; nil until the command has reached it.
    private(set) var work: CommandWork?

    func belongs(to name: String) -> Bool { message == nil || message == name }

    /// The text that tells a command from all others; nil within a handler that the command's handler has dispatched
    /// to.
    func identity(of name: String, for principal: Principal?) -> String? {
        guard belongs(to: name) else { return nil }
        return identity ?? (work == nil ? commandIdentity(name, principal, value) : nil)
    }

    func handled(as name: String, for principal: Principal?) -> CommandKey {
        var key = CommandKey(value: value, message: name)
        key.identity = work == nil ? identity(of: name, for: principal) : nil
        key.work = work ?? CommandWork(of: identity ?? commandIdentity(message ?? name, principal, value))
        return key
    }
}

/// The identity of a command with a key, as text: an array in JSON.
package func commandIdentity(_ message: String, _ principal: Principal?, _ key: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Somebody without an identifier is not nobody.
    let unnamed = principal?.id.isEmpty == true ? ["unnamed"] : []
    let text = try? encoder.encode([message, principal?.id ?? "", key] + unnamed)
    return String(decoding: text ?? Data(), as: UTF8.self)
}

/// Notices that a command has reached its handler.
package struct CommandKeyBoundary: HandlerBoundary {
    package init() {}

    package func enter<M: Message>(_ message: M.Type, _ body: () async throws -> M.Value) async throws -> M.Value {
        guard var context = ServiceContext.current, let key = context.commandKey else { return try await body() }
        context.commandKey = key.handled(as: M.messageName, for: Principal.current)
        return try await ServiceContext.withValue(context) { try await body() }
    }

    /// Runs an operation whose commands may have a key.
    package static func open<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await HandlerBoundaries.run(within: CommandKeyBoundary(), operation)
    }
}

/// Gives the commands that a handler sends to other processes their keys, which are the same at each attempt.
final class CommandWork: Sendable {
    /// The numbers of equal commands that were sent, or are being sent.
    private let numbers = Mutex<[String: Set<Int>]>([:])
    private let identity: String

    init(of identity: String) {
        self.identity = identity
    }

    #if Cluster || HTTP
        /// Sends a command with its own key.
        ///
        /// The key is the same at each attempt, for the same content: of several equal commands, each has a number. A
        /// command that could not be sent leaves its number to the next one, because that is probably the same command.
        func send<Value>(
            _ message: String,
            _ content: some Sequence<UInt8>,
            _ operation: (String) async throws -> Value
        ) async throws -> Value {
            var hash = SHA256()
            for part in [identity, message] {
                hash.update(data: Data(part.utf8))
                hash.update(data: [0])
            }
            hash.update(data: Data(content))
            let digest = Data(hash.finalize().prefix(16))
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let number = numbers.withLock { numbers in
                let number = (1...).first { numbers[digest]?.contains($0) != true } ?? 1
                numbers[digest, default: []].insert(number)
                return number
            }
            do {
                return try await operation("\(digest)-\(number)")
            } catch {
                numbers.withLock { _ = $0[digest]?.remove(number) }
                throw error
            }
        }
    #endif
}

#if Cluster || HTTP
    /// Sends a command to another process, with its key.
    ///
    /// - Parameters:
    ///   - message: The name of the command.
    ///   - content: The encoded command.
    ///   - operation: Sends it under the key; nil for none.
    package func withSendingKey<Value>(
        of message: String,
        _ content: @autoclosure () -> some Sequence<UInt8>,
        _ operation: (String?) async throws -> Value
    ) async throws -> Value {
        guard let key = ServiceContext.current?.commandKey else { return try await operation(nil) }
        if let work = key.work { return try await work.send(message, content(), operation) }
        return try await operation(key.belongs(to: message) ? key.value : nil)
    }
#endif

extension ServiceContext {
    var commandKey: CommandKey? {
        get { self[CommandKeyKey.self] }
        set { self[CommandKeyKey.self] = newValue }
    }
}

private enum CommandKeyKey: ServiceContextKey {
    typealias Value = CommandKey
}
