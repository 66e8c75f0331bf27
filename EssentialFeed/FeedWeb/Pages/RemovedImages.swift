import Duet
import DuetDependencies
import DuetMacros
import FeedFeature
import Foundation
import Logging

/// Forgets images that were removed, in the index, in the cached feed and in the caches of values.
@Resolvable
struct RemovedImages {
    let images: ImageIndex
    let commands: any CommandDispatcher
    let logger: Logger
}

extension RemovedImages {
    /// Forgets images that the backend has removed, for good.
    func forget(_ ids: Set<FeedImage.ID>) async {
        guard !ids.isEmpty else { return }
        images.markRemoved(ids)
        await forgetCopies(of: ids)
    }

    /// Forgets an image that was not found at its address, until a page of the feed has it again.
    ///
    /// Its copies are forgotten once: a feed that still has the image would make the others stale at each visit.
    func forgetMissing(_ id: FeedImage.ID) async {
        if images.removeMissing(id) { await forgetCopies(of: [id]) }
    }

    /// Forgets everything, because it is not known which images were removed.
    func forgetAll() async {
        images.removeAll()
        await report { try await commands.dispatch(ClearFeedCache()) }
    }

    private func forgetCopies(of ids: Set<FeedImage.ID>) async {
        await report { try await commands.dispatch(ForgetImages(ids: ids)) }
    }

    private func report(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            logger.error("Removed images could not be forgotten: \(error)")
        }
    }
}

extension FeedWeb {
    /// Forgets the images that the backend removes, until the task is canceled or the backend reports no more.
    ///
    /// If it has missed removals, for example while the backend could not be reached, it forgets all images.
    public func forgetRemovedImages() async {
        guard let removed: RemovedImages = try? await container.resolve(),
            let dispatcher: any Dispatcher = try? await container.resolve()
        else { return }
        var known: Set<FeedImage.ID>?
        for await state in dispatcher.observe(LoadRemovedImages()) {
            guard let list = state.value, state.isServable else { continue }
            let ids = Set(list)
            if let known, ids.count >= LoadRemovedImages.limit, known.isDisjoint(with: ids) {
                await removed.forgetAll()
            }
            await removed.forget(ids.subtracting(known ?? []))
            known = ids
        }
    }
}
