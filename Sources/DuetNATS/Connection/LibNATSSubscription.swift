#if NATS
    import CNats
    import Dispatch
    import DuetCluster
    import Foundation
    import Synchronization

    /// A subscription of libnats.
    final class LibNATSSubscription: CoreSubscription {
        private let receiver: Receiver
        private let address: UInt
        /// The library's connection must outlive the subscription.
        private let connection: LibNATSConnection

        init(
            connection: LibNATSConnection,
            pointer: OpaquePointer?,
            _ subject: String,
            queue: String?,
            _ handler: @escaping @Sendable (CoreMessage) -> Void
        ) throws {
            let receiver = Receiver(handler)
            let context = unsafe Unmanaged.passRetained(receiver)
            let receive: natsMsgHandler = { _, _, message, context in
                guard let message = unsafe message, let context = unsafe context else { return }
                unsafe Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue().receive(message)
            }
            var created: OpaquePointer?
            let status =
                if let queue {
                    unsafe natsConnection_QueueSubscribe(&created, pointer, subject, queue, receive, context.toOpaque())
                } else {
                    unsafe natsConnection_Subscribe(&created, pointer, subject, receive, context.toOpaque())
                }
            guard let subscription = unsafe created, status == NATS_OK else {
                unsafe context.release()
                throw LibNATSConnection.error(status, "Subscribing to \(subject) failed")
            }
            self.receiver = receiver
            self.connection = connection
            address = UInt(bitPattern: subscription)
            // Messages may be in the handler until the library reports that the subscription is complete.
            let complete: natsOnCompleteCB = { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Receiver>.fromOpaque(context).takeRetainedValue().complete()
            }
            unsafe natsSubscription_SetOnCompleteCB(subscription, complete, context.toOpaque())
        }

        deinit {
            cancel()
            receiver.release(address)
        }

        func cancel() {
            unsafe natsSubscription_Unsubscribe(OpaquePointer(bitPattern: address))
        }

        func drain() async {
            let pointer = unsafe OpaquePointer(bitPattern: address)
            let isDraining =
                unsafe connection.isConnected && natsSubscription_DrainTimeout(pointer, 2000) == NATS_OK
            if !isDraining { cancel() }
            await receiver.untilComplete()
        }
    }

    /// Calls the handler of a subscription, and remembers whether the library is done with it.
    private final class Receiver: Sendable {
        private struct State {
            var isComplete = false
            /// The subscription that nothing references any longer.
            var released: UInt?
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let handler: @Sendable (CoreMessage) -> Void
        private let state = Mutex(State())

        init(_ handler: @escaping @Sendable (CoreMessage) -> Void) { self.handler = handler }

        /// Copies a message of the library, which is then destroyed.
        func receive(_ pointer: OpaquePointer) {
            var message = CoreMessage(
                subject: unsafe natsMsg_GetSubject(pointer).map { unsafe String(cString: $0) } ?? "",
                reply: unsafe natsMsg_GetReply(pointer).map { unsafe String(cString: $0) }
            )
            if message.reply?.isEmpty == true { message.reply = nil }
            let count = unsafe Int(natsMsg_GetDataLength(pointer))
            if count > 0, let data = unsafe natsMsg_GetData(pointer) {
                message.payload = unsafe Data(bytes: data, count: count)
            }
            var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
            var nameCount: Int32 = 0
            if unsafe natsMsgHeader_Keys(pointer, &names, &nameCount) == NATS_OK, let names = unsafe names {
                message.headers.reserveCapacity(Int(nameCount))
                for index in 0..<Int(nameCount) {
                    var value: UnsafePointer<CChar>?
                    guard let name = unsafe names[index], unsafe natsMsgHeader_Get(pointer, name, &value) == NATS_OK
                    else {
                        continue
                    }
                    message.headers[unsafe String(cString: name)] =
                        unsafe value.map { unsafe String(cString: $0) } ?? ""
                }
                unsafe free(names)
            }
            unsafe natsMsg_Destroy(pointer)
            handler(message)
        }

        func complete() {
            let (released, waiters) = state.withLock { state in
                state.isComplete = true
                defer { state.waiters = [] }
                return (state.released, state.waiters)
            }
            for waiter in waiters { waiter.resume() }
            if let released { destroy(released) }
        }

        /// Destroys a subscription as soon as the library is done with it.
        func release(_ address: UInt) {
            let isComplete = state.withLock { state in
                if !state.isComplete { state.released = address }
                return state.isComplete
            }
            if isComplete { destroy(address) }
        }

        func untilComplete() async {
            await withCheckedContinuation { continuation in
                let isComplete = state.withLock { state in
                    if !state.isComplete { state.waiters.append(continuation) }
                    return state.isComplete
                }
                if isComplete { continuation.resume() }
            }
        }

        private func destroy(_ address: UInt) {
            DispatchQueue.global().async { unsafe natsSubscription_Destroy(OpaquePointer(bitPattern: address)) }
        }
    }
#endif
