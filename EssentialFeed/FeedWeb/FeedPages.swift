import DuetMacros
import FeedFeature
import Foundation
import Logging

/// The pages, made for one request: what goes wrong is logged with the request's own logger.
@Resolvable
struct FeedPages {
    let dispatcher: any QueryDispatcher
    let images: ImageIndex
    let now: CurrentDate
    let calendar: Calendar
    let logger: Logger
}
