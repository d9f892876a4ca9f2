import * as sdk from 'ai'
import { z } from 'zod'
import { aiSdkSubject } from '../ai-sdk-subject.mjs'

export default async (workload) => aiSdkSubject({ name: 'ai7', sdk, z, specificationVersion: 'v4' }, workload)
