#if Hummingbird

    import Foundation
    import HTTPTypes
    import Hummingbird
    import NIOCore
    import Synchronization

    /// Collects what a router writes as the content of an answer.
    final class ResponseContent: ResponseBodyWriter, Sendable {
        /// The content is larger than its reader takes.
        struct TooLarge: Error {}

        private struct State {
            var data = Data()
            var isFinished = false
        }

        private let state = Mutex(State())
        private let limit: Int

        init(limit: Int?) {
            self.limit = limit ?? .max
        }

        var data: Data { state.withLock(\.data) }

        func write(_ buffer: ByteBuffer) async throws {
            try state.withLock { state in
                guard buffer.readableBytes <= limit - state.data.count else { throw TooLarge() }
                state.data.append(contentsOf: buffer.readableBytesView)
            }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {
            state.withLock { $0.isFinished = true }
        }

        /// Why a client could not have read the answer from a connection, or nil when it could have.
        func fault(in response: Response, to request: HTTPRequest) -> String? {
            let (count, isFinished) = state.withLock { ($0.data.count, $0.isFinished) }
            guard isFinished else { return "the content of the answer was not finished" }
            // RFC 9110, section 6.4.1. What such an answer says of its length is about another answer.
            if request.method == .head || [204, 304].contains(response.status.code) {
                return count == 0
                    ? nil : "\(request.method.rawValue) and status \(response.status.code) allow no content"
            }
            guard let length = response.headers[.contentLength], length != "\(count)" else { return nil }
            return "the answer announces \(length) bytes and has \(count)"
        }
    }

#endif
