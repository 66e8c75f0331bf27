import Duet
import DuetContext
import DuetHTTP
import Foundation
import FuzzTesting
import HTTPTypes

/// The decoder of messages: a request is refused with a 4xx status, or is a message that survives a round trip.
enum MessageTarget {
    static func read(_ input: [UInt8]) async -> FuzzVerdict {
        let input = FuzzInput(input)
        let (path, query) = split(input.second)
        guard let method = HTTPRequest.Method(input.first),
            case .found(let served, let parameters) = fuzzedAPI.route(method, path)
        else { return .elsewhere }
        let request = MessageParts(
            parameters: parameters,
            query: query,
            contentType: input.mediaType,
            body: input.body
        )
        let dispatcher = RoundTripDispatcher()
        do {
            let answer = try await served.answer(to: request, dispatcher, in: .current).response
            guard [400, 415].contains(answer.status.code) else {
                return .fault("It was answered with \(answer.status)")
            }
            guard (answer.body?.count ?? 0) < 4_096 else {
                return .fault("The refusal is \(answer.body?.count ?? 0) bytes long")
            }
            return .fine
        } catch let verdict as RoundTripDispatcher.Verdict {
            return FuzzVerdict(verdict.fault)
        } catch {
            return .fault("\(served.messageName) failed with \(error)")
        }
    }

    /// Path and query of a target.
    static func split(_ target: String) -> (Substring, String?) {
        guard let mark = target.firstIndex(of: "?") else { return (target[...], nil) }
        return (target[..<mark], String(target[mark...].dropFirst()))
    }
}

/// Encodes and decodes each message once more, and reports whether it is equal.
private struct RoundTripDispatcher: Dispatcher {
    struct Verdict: Error {
        let fault: String?
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        switch message {
        case let command as any HTTPCommand & Hashable:
            throw Verdict(fault: fault(command))
        case let query as any HTTPQuery & Hashable:
            throw Verdict(fault: fault(query))
        default:
            throw Verdict(fault: "\(M.self) is unknown")
        }
    }

    private func fault<Message: HTTPMessage & Hashable>(_ message: Message) -> String? {
        let method = Message.route.method.httpMethod
        let coder = MessageCoder<Message>(HTTPSettings())
        do {
            let encoded = try coder.encode(message)
            let (path, query) = MessageTarget.split(encoded.path)
            guard case .found(let served, let parameters) = fuzzedAPI.route(method, path),
                served.messageName == Message.messageName
            else { return "\(message) went to \(path), which is not its own" }
            let received = MessageParts(
                parameters: parameters,
                query: query,
                contentType: encoded.headers[.contentType],
                body: encoded.body ?? Data()
            )
            let back = try coder.decode(received)
            return back == message ? nil : "\(message) came back as \(back)"
        } catch HTTPMessageError.unsendable(_, "the query", _) {
            // A message may become larger when everything is percent-encoded and defaults are written.
            return nil
        } catch {
            return "A \(Message.messageName) did not come back: \(error): \(message)"
        }
    }
}
